// `URL` is in browsers and in Node; the contract is compiled without the types of either.
declare class URL {
  static canParse(text: string, base?: string): boolean;
  constructor(text: string, base?: string);
  readonly protocol: string;
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}
