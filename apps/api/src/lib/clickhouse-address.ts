export interface ClickHouseAddress {
  url: string;
  username: string;
  password: string;
  /** The named collection with the bucket's address and keys, which Régie does not send. */
  collection: string;
  /** Its nodes read the files; without it, the node that is asked does. */
  cluster: string | undefined;
  /** What a question may take on one node. */
  memoryGb: number;
}

const form = 'https://compte:mot-de-passe@hôte/?collection=';

/**
 * Reads `http(s)://user:password@host[:port]/?collection=[&cluster=][&memory_gb=]`; user and password are
 * percent-encoded.
 * @throws Error naming in French what is missing
 */
export function readAnalyticsUrl(analyticsUrl: string): ClickHouseAddress {
  const url = new URL(analyticsUrl);
  const collection = url.searchParams.get('collection') ?? '';
  const cluster = url.searchParams.get('cluster') ?? undefined;
  const memoryGb = url.searchParams.get('memory_gb') ?? '10';
  const unknown = [...url.searchParams.keys()].find((name) => !['collection', 'cluster', 'memory_gb'].includes(name));
  const problem =
    (url.username === '' && 'le compte') ||
    (url.password === '' && 'le mot de passe') ||
    (!/^[A-Za-z_]\w{0,63}$/.test(collection) && 'collection') ||
    (cluster !== undefined && !/^[\w.{}-]{1,64}$/.test(cluster) && 'cluster') ||
    (!/^[1-9]\d{0,3}$/.test(memoryGb) && 'memory_gb') ||
    unknown;
  if (problem) throw new Error(`${form}, où ${problem} ne convient pas`);
  return {
    url: `${url.origin}${url.pathname}`,
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    collection,
    cluster,
    memoryGb: Number(memoryGb),
  };
}
