/** The part of the library that is used here. It has no types of its own. */
declare module 'tar-stream' {
  import type { Readable, Writable } from 'node:stream'

  interface TarHeader {
    name: string
    type: 'file' | 'directory' | 'symlink'
    mode: number
    mtime: Date
    size?: number
    linkname?: string
    uid?: number
    gid?: number
  }
  interface TarPack extends Readable {
    /** Returns a stream for the bytes of a file, of exactly `size` bytes. */
    entry(header: TarHeader, callback: (error?: Error | null) => void): Writable
    finalize(): void
  }
  export function pack(): TarPack
}
