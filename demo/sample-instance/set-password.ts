/** Sets the password of `admin` from standard input and ends that user's sessions. Tasks may be running. */
import { readStandardInput } from '#demo/sample-instance/standard-input.ts'
import { openSqliteStore } from '#demo/sample-instance/storage/sqlite-store.ts'
import { writePassword } from '#demo/sample-instance/erp/users.ts'

/** Sets exit code 1 if there is no password on standard input. */
export async function setPassword(folder: string): Promise<void> {
  const password = await readStandardInput(4096)
  if (password === '') {
    console.error('the password on standard input is empty')
    process.exitCode = 1
    return
  }
  const store = await openSqliteStore(folder, Date.now())
  await writePassword(store, 'admin', password)
  await store.close()
}
