import type { Random } from './random.ts';

/** Fictitious names, places and titles of the demo; any likeness is accidental. */

const split = (text: string): string[] =>
  text
    .split('|')
    .map((word) => word.trim())
    .filter(Boolean);

export interface Place {
  country: string;
  /** ISO 3166 alpha-2, for account numbers and ISRCs. */
  code: string;
  timezone: string;
  city: string;
  postcode: string;
}

const places = (country: string, code: string, timezone: string, cities: string): Place[] =>
  split(cities).map((entry) => {
    const [city = '', postcode = ''] = entry.split('/');
    return { country, code, timezone, city, postcode };
  });

const france = places(
  'France',
  'FR',
  'GMT +1',
  `Paris/75010|Paris/75018|Paris/75020|Marseille/13001|Marseille/13006|Lyon/69003|Lyon/69007|Toulouse/31000|Lille/59000
  |Bordeaux/33000|Nantes/44000|Strasbourg/67000|Montpellier/34000|Rennes/35000|Grenoble/38000|Saint-Étienne/42000
  |Montreuil/93100|Saint-Denis/93200|Aubervilliers/93300|Alfortville/94140|Issy-les-Moulineaux/92130|Valence/26000
  |Clermont-Ferrand/63000|Le Havre/76600|Rouen/76000|Nice/06000|Perpignan/66000|Besançon/25000|Brest/29200
  |Villeurbanne/69100|Roubaix/59100|Sète/34200|Angoulême/16000|Saint-Germain-en-Laye/78100`,
);
const armenia = places('Arménie', 'AM', 'GMT +4', 'Erevan/0010|Erevan/0025|Gyumri/3101|Vanadzor/2001');
const maghreb = [
  ...places('Maroc', 'MA', 'GMT +1', 'Casablanca/20250|Rabat/10000|Marrakech/40000|Fès/30000|Tanger/90000'),
  ...places('Algérie', 'DZ', 'GMT +1', 'Alger/16000|Oran/31000|Constantine/25000|Tizi Ouzou/15000|Béjaïa/06000'),
  ...places('Tunisie', 'TN', 'GMT +1', 'Tunis/1000|Sfax/3000|Sousse/4000'),
];
const westAfrica = [
  ...places('Sénégal', 'SN', 'GMT', 'Dakar/10200|Dakar/12500|Saint-Louis/32000|Thiès/21000'),
  ...places('Côte d’Ivoire', 'CI', 'GMT', 'Abidjan/01 BP 1245|Abidjan/08 BP 310|Bouaké/01 BP 77'),
  ...places('Mali', 'ML', 'GMT', 'Bamako/BP 1804|Ségou/BP 96'),
  ...places('Guinée', 'GN', 'GMT', 'Conakry/BP 2210'),
  ...places('Cameroun', 'CM', 'GMT +1', 'Douala/BP 4032|Yaoundé/BP 715'),
  ...places('République démocratique du Congo', 'CD', 'GMT +1', 'Kinshasa/BP 8631'),
];
const francophone = [
  ...places('Belgique', 'BE', 'GMT +1', 'Bruxelles/1000|Schaerbeek/1030|Liège/4000|Namur/5000|Charleroi/6000'),
  ...places('Suisse', 'CH', 'GMT +1', 'Genève/1201|Lausanne/1003|Neuchâtel/2000|Fribourg/1700'),
  ...places('Canada', 'CA', 'GMT -5', 'Montréal/H2X 1Y4|Québec/G1R 2S5|Gatineau/J8X 3G4'),
  ...places('Luxembourg', 'LU', 'GMT +1', 'Luxembourg/1911|Esch-sur-Alzette/4010'),
  ...places('Martinique', 'FR', 'GMT -4', 'Fort-de-France/97200|Le Lamentin/97232'),
  ...places('Guadeloupe', 'FR', 'GMT -4', 'Pointe-à-Pitre/97110|Les Abymes/97139'),
  ...places('La Réunion', 'FR', 'GMT +4', 'Saint-Denis/97400|Saint-Pierre/97410'),
];

export interface Origin {
  weight: number;
  firstNames: readonly string[];
  lastNames: readonly string[];
  places: readonly Place[];
  languages: readonly string[];
}

export const origins: readonly Origin[] = [
  {
    weight: 48,
    firstNames: split(
      `Camille|Julien|Élodie|Mathieu|Clémence|Antoine|Manon|Baptiste|Chloé|Thibault|Aurélie|Romain|Inès|Nicolas|Margaux
      |Florian|Sarah|Guillaume|Marion|Hugo|Léa|Étienne|Anaïs|Maxime|Juliette|Quentin|Océane|Simon|Noémie|Gaël|Solène
      |Vincent|Pauline|Rémi|Jeanne|Tristan|Maëlle|Loïc|Agathe|Cédric|Éléonore|Jérémy|Zoé|Benoît|Lucie|Yann|Apolline`,
    ),
    lastNames: split(
      `Lefèvre|Marchand|Rousseau|Girard|Mercier|Fontaine|Chevalier|Perrin|Besson|Delaunay|Guérin|Leroux|Carpentier
      |Vasseur|Boulanger|Le Goff|Maillard|Brunet|Faure|Lemoine|Pelletier|Rivière|Aubert|Cordier|Hamon|Jacquet|Tessier
      |Bertin|Charpentier|Deschamps|Gauthier|Lacroix|Moreau|Noël|Poirier|Renard|Schmitt|Vidal|Weber|Kerguelen|Blanchet
      |Colas|Dufour|Estève|Fabre|Garnier|Huet|Imbert|Joly|Klein|d'Arcangues|de Saint-Aubin`,
    ),
    places: france,
    languages: ['Français', 'Français', 'Français', 'Français', 'Anglais', 'Instrumental'],
  },
  {
    weight: 16,
    firstNames: split(
      `Yasmine|Karim|Samira|Mehdi|Leïla|Sofiane|Nadia|Rachid|Amel|Bilal|Kenza|Hakim|Salma|Youssef|Dounia|Farid|Rym
      |Nassim|Lina|Anis|Imane|Walid|Sabrina|Ilyes|Hanane|Mounir|Nour|Tarik|Zineb|Amine`,
    ),
    lastNames: split(
      `Benali|Haddad|Bouzid|Cherif|Mansouri|El Amrani|Belkacem|Ziani|Ouali|Hamdi|Saïdi|Bensaïd|El Fassi|Trabelsi
      |Gharbi|Kaci|Aït Ahmed|Meziane|Boukhari|Tazi|Rahmani|Slimani|Lahlou|Idrissi|Chaabane|Ferhat|Yahiaoui|Ben Youssef`,
    ),
    places: [...france.slice(0, 22), ...maghreb],
    languages: ['Arabe', 'Arabe', 'Français', 'Kabyle', 'Anglais'],
  },
  {
    weight: 15,
    firstNames: split(
      `Awa|Moussa|Fatou|Ibrahima|Aminata|Cheikh|Mariama|Ousmane|Khady|Abdoulaye|Djeneba|Mamadou|Aïssatou|Seydou|Rokia
      |Lamine|Oumou|Bakary|Ndeye|Souleymane|Adjoa|Kouassi|Grâce|Merveille|Trésor|Dieudonné|Prisca|Serge|Kofi|Salimata`,
    ),
    lastNames: split(
      `Diop|Traoré|Ndiaye|Koné|Diallo|Sow|Keïta|Coulibaly|Fall|Cissé|Camara|Diarra|Touré|Bah|Kouyaté|Sissoko|Gueye|Mbaye
      |Kouamé|Yao|N'Guessan|Kouadio|Mbuyi|Ilunga|Mukendi|Nkoulou|Essomba|Barry|Sylla|Doumbia`,
    ),
    places: [...france.slice(0, 20), ...westAfrica],
    languages: ['Français', 'Wolof', 'Bambara', 'Lingala', 'Français', 'Anglais'],
  },
  {
    weight: 11,
    firstNames: split(
      `Anahit|Aram|Lusine|Hovig|Nariné|Vahan|Astrig|Tigran|Arpiné|Garo|Siranouche|Levon|Chouchane|Raffi|Mariam|Hagop
      |Taline|Gor|Ani|Vartan|Zabelle|Krikor|Gayané|Armen`,
    ),
    lastNames: split(
      `Petrossian|Sarkissian|Hovhannissian|Manoukian|Kevorkian|Der Boghossian|Grigorian|Arakelian|Minassian|Tchakerian
      |Mardirossian|Ohanian|Vardanyan|Papazian|Karapetian|Balian|Tutundjian|Nazarian|Avedissian|Khatchadourian`,
    ),
    places: [
      ...france.filter((place) => ['Marseille', 'Lyon', 'Alfortville', 'Valence'].includes(place.city)),
      ...armenia,
    ],
    languages: ['Arménien', 'Arménien', 'Français', 'Instrumental'],
  },
  {
    weight: 10,
    firstNames: split(
      `Maëva|Thierry|Océane|Jocelyn|Sandrine|Wendy|Bastien|Éloïse|Mathis|Laurence|Marc-Antoine|Catherine|Kevin|Gladys
      |Jean-Philippe|Noa|Christelle|Olivier|Emmanuelle|Steeve`,
    ),
    lastNames: split(
      `Tremblay|Gagnon|Bouchard|Lavoie|Dubuisson|Célestin|Bellerose|Hoarau|Payet|Grondin|Vandenberghe|Lambert|Claes
      |Dumont|Rochat|Favre|Jaccard|Montplaisir|Saint-Prix|Lacascade|Pinte|Schroeder|Weiss|Théodore`,
    ),
    places: francophone,
    languages: ['Français', 'Français', 'Créole', 'Anglais'],
  },
];

export const streets = split(
  `rue de la République|avenue Jean-Jaurès|rue des Écoles|boulevard de la Corniche|rue Victor-Hugo|rue du Faubourg
  |place du Marché|rue de la Gare|impasse des Tilleuls|quai des Belges|rue Pasteur|avenue de la Liberté
  |chemin des Vignes|rue des Trois-Frères|allée des Acacias|rue Mohammed-V|cours Gambetta|rue du Moulin
  |rue Sainte-Catherine|boulevard Voltaire`,
);
export const addressComplements = split(
  'Bâtiment B|Appartement 12|2e étage|Résidence Les Cèdres|Chez M. Arnaud|Lot 47',
);

export const companyNames = split(
  `Rivage|Cèdre|Baobab|Canopée|Ararat|Minuit Passé|Le Phare|Sirocco|Grand Large|Terre Ocre|Harmattan|Les Toits
  |Mosaïque|Belle Étoile|Kora|Septième Ciel|Comptoir|Alizé|Quartier Nord|Aube|Tamaris|Fleuve|Boussole|Marée Haute
  |Citadelle|Duduk|Safran|Passerelle|Cigogne|Horizon Sud|Petit Matin|Archipel|La Verrière|Zénith Nord|Sablier|Griot`,
);
export const companyKinds = split('Records|Musique|Productions|Éditions|Sound|Collectif|Disques|Studio');
export const companyForms = split('SARL|SAS|SASU|EURL');

export const stageNames = split(
  `Naya Belle|Les Amants du Canal|Kassim & les Sept|Orage Tendre|Zoé Lumen|Mister Bamako|Anouch|Fanfare du Port|Lila Sable
  |DJ Corniche|Le Grand Détour|Tigrane Solo|Sœurs d'Oran|Nébuleuse 13|Ismaël Bleu|Trio Ararat|Mamba Noir|Clara Fugue
  |Les Fils du Vent|Wahid K.|Ombre Portée|Papa Sow|Rue des Lilas|Yerso|La Petite Ourse|Cheb Rafik|Éole|Bal Perdu
  |Néo Griots|Vague à l'Âme|Sahar|MC Dixième|Kino Palace|Astrakan|Femme Panthère|L'Heure Creuse|Doudou Kora|Salon Rouge
  |Mehdi Ciel|Coton Noir|Les Cousins Germains|Aya Lune|Bisou Club|Orchestre Mobile|Kéziah Roze|Sans Escale|Tonton Faya
  |Polaire|Maison Hantée|Jeanne & Serge|Hayastan Groove|Lalla Nour|Vinyle Orange|Ti Manzel|Kréyol Express|Ravine
  |Chœur de l'Estuaire|Gros Plan|Ninon Sévère|Prince Ménilmuche`,
);
export const stageFirstParts = split(
  'Les|Petit|Grand|Lady|Doc|Miss|Cheikh|Radio|Projet|Club|Trio|Maison|Atelier|Docteur|Capitaine|Général',
);
export const stageLastParts = split(
  `Mirage|Sauvage|Tempête|Caramel|Vertige|Bazar|Tropique|Cobalt|Saphir|Boréal|Mistral|Velours|Nomade|Ébène|Canaille
  |Solstice|Météore|Falaise|Lanterne|Comète|Tumulte|Gazelle|Vermeil|Brume`,
);

const frenchStarts = split(
  `Une lettre|Le dernier train|La mer|Un été|Les lumières|Le chant|Souvenirs|Minuit|Le vent|Les enfants|Nos hivers
  |Le silence|La route|Les fenêtres|Un dimanche|Le bal|Carnet|La maison|Les oiseaux|Une valse|Le retour|Trois jours`,
);
const frenchEnds = split(
  `de Dakar|d'Erevan|d'Oran|de Bamako|de Marseille|sous la pluie|sans toi|avant l'aube|au bord du fleuve|de l'autre rive
  |pour Anahit|des îles|à Belleville|en noir et blanc|d'après|du vieux port|sur les toits|de ma mère|à contre-jour
  |en hiver|du bout du monde|à la tombée du jour`,
);
const frenchTitles = split(
  `Nuit blanche|À fleur de peau|Boomerang|Rue du Chemin-Vert|On verra demain|Poussière d'étoile|Tout recommencer
  |Laisse courir|Sixième étage|Les mots bleus de froid|Plein sud|Garder le cap|Parle-moi encore|Fais comme si
  |Rien à perdre|Mauvais temps|L'ascenseur|Dernière séance|Jours de fête|À demi-mot|Vertige|Dis-le moi|Les grands magasins
  |Ceux qui restent|Périphérique|Sans papiers|Rappelle-toi l'orage|Bagages|La fièvre du samedi|Deux cafés|Échappée belle
  |Poings serrés|Cœur de pierre|Tu me manques un peu|Lundi matin|Hors saison|Même pas peur|Le temps qu'il faut
  |Allô maman|Demi-lune|Kilomètre zéro|Grand écart|Panorama|Nulle part ailleurs|Dans la foule|Je rentre tard`,
);

const otherTitles: Record<string, readonly string[]> = {
  Arménien: split(
    `Karoun|Im Yerevan|Hayrik|Sirun yar|Ararati yerg|Gisher|Dzirani dzar|Mayr Arax|Yeraz|Nor or|Kele lao|Tsov
    |Garoun tarav|Hayots lerner|Luys|Ankoghin|Sareri kami|Hin oror`,
  ),
  Arabe: split(
    `Ya layl|Habibi ghab|Wahran|El ghorba|Nedjma|Galbi|Ya rayah el bahr|Bent el houma|Sabr|Zina|Lila wahda|Ya mma
    |Achki|Mektoubi|Casa by night|Hna wlad el bahdja|El warda|Tol el lyali|Ya salam|Chems`,
  ),
  Kabyle: split('Azul|Tamurt|Yemma|Tafat|A yemma azizen|Itri|Tagrawla|Lejdud|Asirem|Izlan n tmurt'),
  Wolof: split('Yaay|Sama xol|Teranga|Jamm|Ndakaru|Nopalou|Sunu gaal|Xaleyi|Jàmm ak salam|Biir gox'),
  Bambara: split('Djarabi|Sabali|Kanou|Badenya|Bamako kono|Nyé|Hakili|Wari|Nba|Dunia'),
  Lingala: split('Bolingo na ngai|Mwana|Kin la belle|Motema|Nzela|Libala|Makambo|Sango|Elikya|Mokili'),
  Créole: split('Lanmou|Doudou an mwen|Péyi mwen|Tan lontan|Bèl ti fanm|Soley lévé|Kaz an nou|Lapli|Ti moun|Zouk la'),
  Anglais: split(
    `Slow Motion|Night Bus|Paper Planes Again|Golden Hour|Hold the Line|Blue Room|Runaway Sun|Never Been Home
    |Static|Satellite Hearts|Over the Hills|Mirror Talk|Cold Water|Neon Garden|Before the Storm`,
  ),
  Instrumental: split(
    `Étude en bleu|Mouvement I|Mouvement II|Prélude pour duduk|Nocturne|Interlude|Suite marine|Thème de l'absent
    |Ouverture|Berceuse|Variations sur un quai|Postlude|Improvisation n°\u00A04|Générique`,
  ),
};

/** A title in that language; French ones often combine two halves. */
export function inventTitle(random: Random, language: string): string {
  const known = otherTitles[language];
  if (known) return random.pick(known);
  return random.chance(0.45) ? `${random.pick(frenchStarts)} ${random.pick(frenchEnds)}` : random.pick(frenchTitles);
}

export const versions = split('Remasterisé|Version acoustique|Live|Radio Edit|Instrumental|Version longue|Remix');
export const musicianRoles = split(
  `Guitare|Guitare basse|Batterie|Percussions|Piano|Claviers|Violon|Violoncelle|Saxophone|Trompette|Accordéon|Duduk|Oud
  |Kora|Balafon|Darbouka|Chœurs|Contrebasse|Flûte`,
);
export const artistRoles = ['Featuring', 'Featuring', 'With', 'Producer', 'Remixer'] as const;
export const publisherNames = split(
  `Éditions du Quai|Éditions Septentrion|Nomade Publishing|Éditions Ararat|Sud Éditions Musicales|Les Éditions de l'Aube
  |Griot Publishing|Éditions Claire Fontaine|Studio 14 Éditions|Éditions Grand Angle`,
);
export const deliveryPlatforms = split(
  'spotify|apple-music|deezer|youtube-music|amazon-music|tidal|qobuz|anghami|boomplay|audiomack|soundcloud|tiktok',
);
export const territoryGroups: readonly (readonly string[])[] = [
  ['FR', 'BE', 'CH', 'LU', 'MC'],
  ['FR', 'MA', 'DZ', 'TN'],
  ['FR', 'SN', 'CI', 'ML', 'CM'],
  ['FR', 'AM', 'US', 'CA'],
];

const bank = (entry: string) => {
  const [name = '', code = '', bic = '', city = '', zipCode = ''] = entry.split('/');
  return { name, code, bic, city, zipCode };
};

/** Fictitious banks. */
export const banks: Record<string, { country: string; banks: ReturnType<typeof bank>[] }> = {
  FR: {
    country: 'France',
    banks: [
      bank('Banque de l’Estuaire/97011/BQESFRPP/Nantes/44000'),
      bank('Crédit Coopératif du Rhône/97024/CCRHFR2L/Lyon/69002'),
      bank('Caisse du Midi/97035/CAMDFR2T/Toulouse/31000'),
      bank('Société Bancaire Parisienne/97042/SBPAFRPPXXX/Paris/75009'),
    ],
  },
  BE: { country: 'Belgique', banks: [bank('Banque du Cinquantenaire/97800/BQCNBEBB/Bruxelles/1000')] },
  CH: { country: 'Suisse', banks: [bank('Caisse Romande du Léman/09781/CRLECHGG/Genève/1204')] },
  LU: { country: 'Luxembourg', banks: [bank('Banque de la Pétrusse/97300/BQPELULL/Luxembourg/2163')] },
  MA: { country: 'Maroc', banks: [bank('Banque Atlas Maritime/00978/BATMMAMC/Casablanca/20000')] },
  CA: { country: 'Canada', banks: [bank('Caisse du Mont-Royal/00979/CMRYCAMM/Montréal/H2Y 1C6')] },
};

export const memos = split(
  `Préfère être contacté par e-mail.|Règlement trimestriel demandé.|Contrat signé en 2023, à renouveler fin 2026.
  |Ancien client de la plateforme précédente, catalogue repris.|Appeler avant toute relance.
  |Demande régulièrement le détail par plateforme.|Facture à adresser à la société, versement sur le compte du gérant.
  |Taux négocié à la signature du troisième album.|Attend la correction de deux ISRC.|Passe par son comptable pour les relevés.`,
);
export const holdMemos = split(
  `Compte bloqué\u00A0: litige sur la propriété d’un enregistrement.|Compte bloqué\u00A0: pièce d’identité à fournir.|Compte bloqué\u00A0: écoutes artificielles signalées par une plateforme.`,
);

export const unpublishedNotes = split(
  `Pochette à refaire\u00A0: logo d'une plateforme visible.|En attente des fichiers WAV.|Retirée à la demande de l'artiste.
  |Échantillon non déclaré, autorisation à fournir.|Doublon d'une sortie existante.|Textes manquants, relancé le mois dernier.
  |L'artiste change de distributeur.|Audio de mauvaise qualité, nouvel envoi annoncé.|Nom d'artiste déjà pris, à clarifier.
  |Paiement jamais reçu.`,
);
export const payoutCancelReasons = split(
  'Demande annulée par le titulaire|Coordonnées bancaires à corriger|Demande faite deux fois|Montant erroné',
);
