/** Makes a package out of what is to be in it (docs/mapp.md). The same content is the same bytes. */
import { hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { type AppManifest, manifestFormat, manifestVersion } from '#domain/checks/manifest-checks.ts'
import { mappFiles } from '#domain/catalogue/mapp.ts'

/** What its maker writes; the rest is worked out. */
export type AppFacts = Omit<AppManifest, 'format' | 'format_version' | 'files'>

// Zip files know no time before 1980 and no zone.
const mtime = new Date('2020-01-01T12:00:00Z')

/** `facts`: as they stand, so that a fault in them is found by the reader. `files`: name -> bytes, without the manifest. */
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
