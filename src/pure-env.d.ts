// The one web global that the pure folders use and every host has; the pure project has no DOM, worker or Node types.
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | [string, string][])
  toString(): string
  [Symbol.iterator](): Iterator<[string, string]>
}
