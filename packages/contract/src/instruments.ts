/** Instruments of a track's musicians (product §19.5). */
export const instruments: readonly string[] =
  `Accordéon|Accordéon diatonique|Alto|Angklung|Autoharpe|Bağlama|Balafon|Balalaïka|Bandonéon|Bandura|Banjo
|Basse électrique|Basse fretless|Basson|Batterie|Batterie électronique|Beatbox|Bendir|Berimbau|Biniou|Bodhrán
|Boîte à rythmes|Bombarde|Bongos|Bouzouki|Bugle|Cabasa|Cajón|Carillon|Castagnettes|Cavaquinho|Célesta|Chant|Charango
|Chœurs|Choriste|Cistre|Cithare|Clarinette|Clarinette basse|Clavecin|Claves|Claviers|Cloches|Cloches tubulaires
|Concertina|Conga|Contrebasse|Contrebasson|Cor|Cor anglais|Cor d’harmonie|Cornemuse|Cornet à bouquin
|Cornet à pistons|Crotales|Cuíca|Cuivres|Cymbales|Cymbalum|Daf|Darbouka|Dhol|Didgeridoo|Dilruba|Djembé|Duduk
|Dulcimer|Dulcitone|Dundun|Épinette|Erhu|Euphonium|Fifre|Flûte|Flûte à bec|Flûte alto|Flûte de Pan|Flûte peule
|Flûte traversière|Gamelan|Ghatam|Glassharmonica|Glockenspiel|Gong|Goni|Grosse caisse|Guembri|Guimbarde|Güiro
|Guitare|Guitare acoustique|Guitare basse|Guitare classique|Guitare douze cordes|Guitare électrique|Guitare flamenca
|Guitare folk|Guitare hawaïenne|Guitare manouche|Guitare pedal steel|Guitare rythmique|Guitare solo|Guzheng|Handpan
|Harmonica|Harmonium|Harpe|Harpe celtique|Hautbois|Hautbois d’amour|Hulusi|Kalimba|Kamancheh|Kanoun|Karkabou|Kaval
|Kazoo|Kémençé|Kora|Koto|Krakeb|Likembé|Lira|Lithophone|Luth|Lyre|Mandole|Mandoline|Maracas|Marimba|Mbira|Mellotron
|Melodica|Mridangam|N’goni|Ney|Ocarina|Ondes Martenot|Orchestre|Orchestre à cordes|Orgue|Orgue de Barbarie
|Orgue Hammond|Oud|Pandeiro|Percussions|Percussions corporelles|Piano|Piano à queue|Piano droit|Piano électrique
|Piano Rhodes|Piano Wurlitzer|Pipa|Pipeau|Platines|Programmation|Quatuor à cordes|Quena|Rebab|Rebec|Riqq|Sampleur
|Santour|Sanza|Sarangi|Sarod|Saxhorn|Saxophone|Saxophone alto|Saxophone baryton|Saxophone soprano|Saxophone ténor
|Scie musicale|Séquenceur|Serpent|Shakuhachi|Shamisen|Shehnai|Sifflet|Sitar|Soubassophone|Steel drum|Surdo
|Synthétiseur|Synthétiseur basse|Synthétiseur modulaire|Tabla|Taïko|Talkbox|Tama|Tambour|Tambour ka|Tambourin|Tambûr
|Tampura|Tar|Tbel|Theremin|Timbales|Timbales latines|Tin whistle|Tom|Triangle|Trombone|Trombone à coulisse
|Trombone basse|Trompe|Trompette|Trompette bouchée|Trompette piccolo|Tuba|Uilleann pipes|Ukulélé|Valiha|Vibraphone
|Vièle|Vielle à roue|Viole d’amour|Viole de gambe|Violon|Violon électrique|Violoncelle|Virginal|Vocodeur|Voix
|Vuvuzela|Washboard|Wood-block|Xylophone|Zarb|Zourna`
    .split('|')
    .map((name) => name.trim());
