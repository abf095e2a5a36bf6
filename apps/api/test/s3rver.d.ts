declare module 's3rver' {
  /** An S3-compatible server for tests. It knows the one key S3RVER with the secret S3RVER. */
  class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }

  export = S3rver;
}
