import {
  type AskedContractField,
  askedFieldsOf,
  type ContractTemplate,
  contractTemplates,
  printField,
} from '@regie/contract/custom-contracts.ts';
import type { Trx } from '#src/lib/db.ts';
import { knownValues } from '#src/modules/people/custom-contracts/custom-contracts.service.ts';
import { demoHouse } from './house.ts';
import { at } from './random.ts';

interface DemoContract {
  /** The account's index in the block. */
  owner: number;
  kind: ContractTemplate;
  title: string;
  createdAt: string;
  fields: Partial<Record<AskedContractField, string>>;
}

const contracts: readonly DemoContract[] = [
  {
    ...{ owner: 2, kind: 'distribution', title: 'Contrat de distribution 2025', createdAt: '2025-01-14T09:40:00Z' },
    fields: {
      ...{ objet: 'l’ensemble du catalogue', date_effet: '01/02/2025', duree: 'trois ans', preavis: 'trois mois' },
      ...{ territoires: 'le monde entier', part: '80', part_video: '70', lieu: 'Nantes' },
    },
  },
  {
    ...{ owner: 2, kind: 'avenant', title: 'Avenant, part des plateformes', createdAt: '2026-03-03T14:05:00Z' },
    fields: {
      ...{ objet: 'le contrat de distribution du 14 janvier 2025', date_effet: '01/04/2026' },
      ...{ part: '82,5', part_video: '70', lieu: 'Nantes', details: 'Le préavis est porté à six mois.' },
    },
  },
  {
    ...{ owner: 9, kind: 'avance', title: 'Avance sur le deuxième album', createdAt: '2025-09-22T08:15:00Z' },
    fields: {
      ...{ objet: 'le deuxième album et ses singles', date_effet: '01/10/2025', duree: 'deux ans', montant: '2500' },
      ...{ part: '80', part_video: '80', lieu: 'Paris' },
    },
  },
  {
    ...{ owner: 23, kind: 'resiliation', title: 'Accord de résiliation', createdAt: '2026-06-18T13:30:00Z' },
    fields: {
      ...{ objet: 'tous les contrats en cours', date_effet: '30/06/2026', preavis: 'trente jours', montant: '41,20' },
    },
  },
];

/** Adds a few contracts to accounts of the first block. */
export async function loadContracts(trx: Trx, accountIds: readonly number[], adminId: number | null): Promise<void> {
  for (const contract of contracts) {
    const accountId = at(accountIds, contract.owner);
    const party = await trx
      .selectFrom('accounts')
      .select(['company', 'firstName', 'lastName', 'email', 'address', 'address2', 'postcode', 'city', 'country'])
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    const template = contractTemplates[contract.kind].template.trim();
    const asked = askedFieldsOf(template).map((name) => [name, printField(name, contract.fields[name] ?? '')]);
    await trx
      .insertInto('customContracts')
      .values({
        accountId,
        kind: contract.kind,
        title: contract.title,
        template,
        fieldValues: JSON.stringify({
          ...knownValues(demoHouse, party, new Date(contract.createdAt)),
          ...Object.fromEntries(asked),
        }),
        createdAt: contract.createdAt,
        createdBy: adminId,
      })
      .execute();
  }
}
