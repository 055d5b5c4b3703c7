import { readPackage } from '#server/drivers/packages/read-package.ts'

const standardInput = 0
const result = await readPackage(standardInput)
process.stdout.write(
  JSON.stringify(
    'fault' in result
      ? result
      : { content: { ...result.content, icon: result.content.icon?.toString('base64') ?? null } },
  ),
)
