/**
 * Unpacks a package from standard input into numbered files. Names in the package never become paths; they are written to standard output
 * as JSON.
 */
import '#server/config/private-files.ts'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { mappLimits } from '#domain/catalogue/mapp.ts'
import { walkZip } from '#server/drivers/zip-reader.ts'

const [, , folder = ''] = process.argv
const standardInput = 0
const limits = { entries: mappLimits.entries, entryBytes: mappLimits.entry, totalBytes: mappLimits.unpacked }
const names: string[] = []
await walkZip(standardInput, limits, async ({ name }, stream) => {
  await pipeline(stream, createWriteStream(join(folder, String(names.length)), { flags: 'wx', mode: 0o600 }))
  names.push(name)
})
process.stdout.write(JSON.stringify(names))
