import { join } from 'node:path';
import type { KyselyPlugin } from 'kysely';
import type { CallExpression, Node, TaggedTemplateExpression } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isTaggedTemplateExpression,
} from 'typescript/unstable/ast/is';
import {
  API,
  type Checker,
  type IntersectionType,
  type Type,
  TypeFlags,
  type UnionType,
} from 'typescript/unstable/sync';

/** What a value may be: names of `kindOf`; undefined for types that say nothing, such as `unknown`. */
type Kinds = string[] | undefined;

/** The row type of an SQL text: its columns, or the kinds of its only one. */
export interface RowType {
  place: string;
  columns?: Record<string, Kinds>;
  value?: Kinds;
}

/** Row types by SQL text, whose parameters are left out; several when places share a text. */
export type RowTypes = Record<string, RowType[]>;

const rowTags = new Set(['queryRows', 'queryRow', 'querySingle', 'sql']);
const valueTags = new Set(['queryColumn', 'queryValue']);
const keyOf = (texts: readonly string[]) => texts.join('\0');

/**
 * Reads the row types that the server's code, or one file, gives to its SQL texts (`queryRows<Row>`, `sql<Row>`, …).
 * @param folder that of the server
 */
export function readRowTypes(folder: string, onlyFile?: string): RowTypes {
  const api = new API({ cwd: folder });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(folder, 'tsconfig.json')] });
    const [project] = snapshot.getProjects();
    if (!project) throw new Error(`${folder} is no TypeScript project`);
    const types: RowTypes = {};
    for (const name of project.program.getSourceFileNames()) {
      const isRead = onlyFile ? name === onlyFile : name.startsWith(join(folder, 'src/')) && !name.endsWith('.test.ts');
      if (!isRead) continue;
      const file = project.program.getSourceFile(name);
      if (!file || !/\b(query\w+|sql)</.test(file.text)) continue;
      const visit = (node: Node): void => {
        if (isTaggedTemplateExpression(node)) {
          const found = readTag(project.checker, node);
          const line = file.text.slice(0, node.pos).split('\n').length;
          const type = { ...found?.type, place: `${name.slice(folder.length + 1)}:${line}` };
          if (found) types[found.key] = [...(types[found.key] ?? []), type];
        }
        node.forEachChild(visit);
      };
      visit(file);
    }
    return types;
  } finally {
    api.close();
  }
}

function readTag(checker: Checker, { tag, template, typeArguments }: TaggedTemplateExpression) {
  const name = isCallExpression(tag) ? tag.expression : tag;
  const [argument] = (isCallExpression(tag) ? (tag as CallExpression).typeArguments : typeArguments) ?? [];
  if (!argument || !isIdentifier(name)) return undefined;
  const type = checker.getTypeFromTypeNode(argument);
  if (!type || isGeneric(type)) return undefined;
  const texts = isNoSubstitutionTemplateLiteral(template)
    ? [template.text]
    : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
  if (valueTags.has(name.text)) return { key: keyOf(texts), type: { value: kindsOf(checker, type) } };
  // A scalar `sql<string>` is a part of a query.
  if (!rowTags.has(name.text) || (type.flags & (TypeFlags.Object | TypeFlags.Intersection)) === 0) return undefined;
  const columns = checker.getPropertiesOfType(type).map((property): [string, Kinds] => {
    const propertyType = checker.getTypeOfSymbol(property);
    return [property.name, propertyType && kindsOf(checker, propertyType)];
  });
  return { key: keyOf(texts), type: { columns: Object.fromEntries(columns) } };
}

/** A type that a caller completes, such as `Row & { cursorValue: string }`. */
const isGeneric = (type: Type): boolean =>
  (type.flags & TypeFlags.TypeParameter) !== 0 ||
  ((type.flags & TypeFlags.Intersection) !== 0 && (type as IntersectionType).getTypes().some(isGeneric));

function kindsOf(checker: Checker, type: Type): Kinds {
  const members = (type.flags & TypeFlags.Union) !== 0 ? (type as UnionType).getTypes() : [type];
  const kinds = members.map(({ flags }) => {
    if ((flags & (TypeFlags.String | TypeFlags.StringLiteral | TypeFlags.TemplateLiteral)) !== 0) return 'string';
    if ((flags & (TypeFlags.Number | TypeFlags.NumberLiteral)) !== 0) return 'number';
    if ((flags & (TypeFlags.Boolean | TypeFlags.BooleanLiteral)) !== 0) return 'boolean';
    if ((flags & TypeFlags.Null) !== 0) return 'null';
    if ((flags & TypeFlags.Undefined) !== 0) return 'undefined';
    // A branded string, such as a capability, is an intersection.
    if ((flags & TypeFlags.Intersection) !== 0)
      return checker.typeToString(type).startsWith('string') ? 'string' : 'object';
    return (flags & TypeFlags.Object) !== 0 ? 'object' : 'any';
  });
  return kinds.includes('any') ? undefined : [...new Set(kinds)];
}

const kindOf = (value: unknown) => (value === null ? 'null' : typeof value);

/** What a row lacks of its type, or has of another kind; undefined when nothing. Further columns are allowed: `SELECT t.*`. */
export function findDifference(row: Record<string, unknown>, { columns, value }: RowType): string | undefined {
  const differs = (name: string, kinds: Kinds) =>
    kinds && !kinds.includes(kindOf(row[name]))
      ? `${name} is ${kindOf(row[name])}, not ${kinds.join(' or ')}`
      : undefined;
  if (!columns)
    return Object.keys(row)
      .map((name) => differs(name, value))
      .find(Boolean);
  return Object.entries(columns)
    .map(([name, kinds]) => differs(name, kinds))
    .find(Boolean);
}

const rowsChecked = 20;

/** Fails a query whose rows do not have the columns, and kinds of values, of the row type in the code. */
export function checkRowTypes(types: RowTypes): KyselyPlugin {
  const typesOf = new WeakMap<object, RowType[]>();
  return {
    transformQuery({ node, queryId }) {
      const found = node.kind === 'RawNode' ? types[keyOf(node.sqlFragments)] : undefined;
      if (found) typesOf.set(queryId, found);
      return node;
    },
    async transformResult({ queryId, result }) {
      const found = typesOf.get(queryId);
      for (const row of found ? result.rows.slice(0, rowsChecked) : []) {
        const differences = found?.map((type) => findDifference(row, type)) ?? [];
        if (differences.every(Boolean))
          throw new Error(`the row type at ${found?.[0]?.place} is wrong: ${differences[0]}`);
      }
      return result;
    },
  };
}
