/** Sets the password of `admin`, from standard input, and ends that user's sessions; tasks may run meanwhile. */
import { readStandardInput } from '#demo/sample-instance/standard-input.ts'
import { openStore } from '#demo/sample-instance/store.ts'
import { writePassword } from '#demo/sample-instance/users.ts'

/** Ends with 1 for what is no password. */
export async function setPassword(folder: string): Promise<void> {
  const password = await readStandardInput(4096)
  if (password === '') {
    console.error('no password on standard input')
    process.exitCode = 1
    return
  }
  const store = openStore(folder, Date.now())
  await writePassword(store, 'admin', password)
  store.close()
}
