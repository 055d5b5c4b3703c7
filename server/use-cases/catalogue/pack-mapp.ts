/** Builds a package from its content (docs/mapp.md). The same content gives the same bytes. */
import { hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { type AppManifest, manifestFormat, manifestVersion } from '#domain/checks/manifest-checks.ts'
import { mappFiles } from '#domain/catalogue/mapp.ts'

/** The part of the manifest that an author writes. The other fields are calculated. */
export type AppFacts = Omit<AppManifest, 'format' | 'format_version' | 'files'>

// Zip files store times without a time zone, and none before 1980.
const mtime = new Date('2020-01-01T12:00:00Z')

/** `facts` are written unchanged, so that the reader finds faults in them. `files` maps names to bytes. */
export async function packMapp(facts: object, files: ReadonlyMap<string, Uint8Array>): Promise<Buffer> {
  const fileHashes = [...files].map(([name, bytes]): [string, string] => [name, hash('sha256', bytes, 'hex')])
  const manifest = {
    format: manifestFormat,
    format_version: manifestVersion,
    ...facts,
    files: Object.fromEntries(fileHashes),
  }
  const zip = new ZipFile()
  const options = { mtime, mode: 0o100_644 }
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), mappFiles.manifest, options)
  for (const [name, bytes] of files) zip.addBuffer(Buffer.from(bytes), name, options)
  zip.end()
  return buffer(zip.outputStream)
}
