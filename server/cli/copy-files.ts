/**
 * Copies the files of a folder into the configured bucket: `node server/cli/copy-files.ts` with the environment of the server and
 * `FILES_STORE=s3`. The folder is `FILES_DIR`. Stop the server first; the command can be repeated. If a file could not be copied unchanged,
 * it prints the file and exits with code 1.
 */
import '#server/config/private-files.ts'
import { openFiles } from '#server/composition/open-files.ts'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { readEnvironment } from '#server/config/secret-files.ts'
import { readFilesSettings } from '#server/config/files-config.ts'
import { copyFiles } from '#server/use-cases/uploads/copy-files.ts'

const messages = {
  different: 'the bucket has another file of this name, which was left unchanged',
  damaged: 'the file in the folder does not have the SHA-256 in its name, so it was not copied',
}

try {
  const env = readEnvironment()
  const config = readConfig(env)
  const location = readFilesSettings(env, config)
  if (location.kind === 'folder')
    throw new StartProblem('Set FILES_STORE=s3 and FILES_BUCKET: the files of FILES_DIR are copied into that bucket.')
  const source = openFiles({ kind: 'folder', folder: config.filesDir }, config)
  const target = openFiles(location, config)
  let [copiedCount, equalCount, failedCount] = [0, 0, 0]
  try {
    for await (const { key, outcome } of copyFiles(source, target)) {
      if (outcome === 'copied') copiedCount += 1
      else if (outcome === 'equal') equalCount += 1
      else {
        failedCount += 1
        console.error(`${key}: ${messages[outcome]}.`)
      }
    }
  } finally {
    await Promise.all([source.close(), target.close()])
  }
  console.log(`Copied: ${copiedCount}. Already in the bucket: ${equalCount}. Failed: ${failedCount}.`)
  process.exitCode = failedCount === 0 ? 0 : 1
} catch (error) {
  const isExpected = error instanceof StartProblem || (error instanceof Error && error.name === 'StoreError')
  if (!isExpected) throw error
  console.error((error as Error).message)
  process.exitCode = 1
}
