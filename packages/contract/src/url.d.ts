/** The part of the standard URL that every place where the contract runs has; it needs no other of their types. */
declare class URL {
  constructor(url: string);
  static canParse(url: string): boolean;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  readonly href: string;
}
