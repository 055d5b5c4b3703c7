/** One package, in a process of its own: the file on standard input, what is in it on standard output, as JSON. */
import { readPackage } from '#server/drivers/packages/read-package.ts'

const standardInput = 0
const read = await readPackage(standardInput)
process.stdout.write(
  JSON.stringify(
    'fault' in read ? read : { content: { ...read.content, icon: read.content.icon?.toString('base64') ?? null } },
  ),
)
