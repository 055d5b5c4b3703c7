/** Writes sample packages: `npm run sample-apps -- [folder]`. The default folder is `samples`. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packSample, getSampleFileName, uploadSamples } from '#demo/sample-data/sample-apps.ts'

const [, , folder = 'samples'] = process.argv

await mkdir(folder, { recursive: true })
for (const sample of uploadSamples) {
  const file = join(folder, getSampleFileName(sample))
  await writeFile(file, await packSample(sample))
  console.log(file)
}
