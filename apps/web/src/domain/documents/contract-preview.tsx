import { Box } from '@mantine/core';
import type { ContractBlock, ContractPart } from '@regie/contract/licence-contract.ts';
import type { LicenceContract } from '@regie/contract/routes/licence-contract.ts';
import { fillCustomContract } from '@regie/documents/custom-contract.ts';
import { frDocuments } from '@regie/documents/documents.fr.ts';
import { fillLicence } from '@regie/documents/licence-contract.ts';
import { type ReactNode, useDeferredValue, useId } from 'react';
import { frContract } from './contract.fr.ts';
import classes from './contract-preview.module.css';

const t = frDocuments.contract;

export function LicencePreview({ contract }: { contract: LicenceContract }) {
  const shown = useDeferredValue(contract);
  const { parts, values } = fillLicence(shown, Date.now());
  return <Sheet parts={parts} parties={[values.maison, values.client]} tracks={shown.tracks} />;
}

export function CustomContractPreview({ contract }: { contract: Parameters<typeof fillCustomContract>[0] }) {
  return <Sheet {...fillCustomContract(useDeferredValue(contract))} tracks={[]} />;
}

interface SheetProps {
  parts: readonly ContractPart[];
  parties: readonly [string, string];
  tracks: LicenceContract['tracks'];
}

function Sheet({ parts, parties, tracks }: SheetProps) {
  const id = useId();
  const showBlock = (block: ContractBlock) =>
    block === 'titres' ? <TrackTable tracks={tracks} /> : <Signatures parties={parties} />;
  return (
    <>
      <Box id={id} component="h2" mb={8} fz={13} fw={550}>
        {frContract.preview}
      </Box>
      {/* biome-ignore lint/a11y/useSemanticElements: a section is a landmark, and a page has several previews */}
      <div role="group" className={classes.frame} tabIndex={0} aria-labelledby={id}>
        <div className={classes.sheet} lang="fr">
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
            <Part key={index} part={part} showBlock={showBlock} />
          ))}
        </div>
      </div>
    </>
  );
}

function Part({ part, showBlock }: { part: ContractPart; showBlock: (block: ContractBlock) => ReactNode }) {
  if (part.kind === 'block') return showBlock(part.block);
  if (part.kind === 'list')
    return (
      <ul>
        {part.items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity
          <li key={index}>{item}</li>
        ))}
      </ul>
    );
  return <p data-kind={part.kind}>{part.text}</p>;
}

function TrackTable({ tracks }: { tracks: LicenceContract['tracks'] }) {
  return (
    <table>
      <thead>
        <tr>
          <th>{t.number}</th>
          <th>{t.title}</th>
          <th>{t.artists}</th>
          <th>ISRC</th>
        </tr>
      </thead>
      <tbody>
        {tracks.map((track, index) => (
          <tr key={track.isrc ?? track.title}>
            <td>{index + 1}</td>
            <td>{track.title}</td>
            <td>{track.artists}</td>
            <td>{track.isrc}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Signatures({ parties }: { parties: readonly [string, string] }) {
  return (
    <div className={classes.signatures}>
      {parties.map((party, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: both may have the same name
        <div key={index}>
          <strong>{t.signedBy(party)}</strong>
          <small>{t.signatureHint}</small>
          <span className={classes.box} />
        </div>
      ))}
    </div>
  );
}
