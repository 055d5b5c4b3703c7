/** Reads a package from standard input, and writes its data files to standard output as JSON. Its names never become paths. */
import '#server/config/private-files.ts'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { mappFiles, mappLimits } from '#domain/catalogue/mapp.ts'
import { walkZip } from '#server/drivers/zip-reader.ts'
import { formatAppFile, isDataFile, maxAppBytes, maxAppFiles } from '#demo/sample-instance/erp/app-data.ts'
import type { AppFile } from '#demo/sample-instance/storage/instance-storage.ts'

const standardInput = 0
const limits = { entries: mappLimits.entries, entryBytes: mappLimits.entry, totalBytes: mappLimits.unpacked }
const files: AppFile[] = []
let hasManifest = false
await walkZip(standardInput, limits, async ({ name, size }, stream) => {
  if (name === mappFiles.manifest) hasManifest = true
  const isDisplayed = isDataFile(name) && files.length < maxAppFiles
  if (isDisplayed && size <= maxAppBytes) files.push({ name, text: formatAppFile(await buffer(stream)) })
  else {
    if (isDisplayed) files.push({ name, text: null })
    await finished(stream.resume())
  }
})
if (!hasManifest) throw new Error('the package has no manifest')
process.stdout.write(JSON.stringify(files))
