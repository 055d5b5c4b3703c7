// The web globals that the pure folders use and every host has; the pure project has no DOM, worker or Node types.
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | [string, string][])
  toString(): string
  [Symbol.iterator](): Iterator<[string, string]>
}

/** Binary strings, one character a byte. `atob` throws on what is no base64, and passes over white space. */
declare function btoa(binary: string): string
declare function atob(base64: string): string
