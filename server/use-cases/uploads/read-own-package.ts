/** Reads trusted packages in this process, with the code that also reads uploads. */
import { formatMappFault } from '#domain/catalogue/mapp.ts'
import { type PackageContent, readPackage } from '#server/drivers/packages/read-package.ts'

/** Keeps the icon as the original PNG. Throws if the bytes are not a package. */
export async function readOwnPackage(bytes: Buffer): Promise<PackageContent> {
  const readResult = await readPackage(bytes)
  if ('fault' in readResult) throw new Error(`a package of the portal is invalid: ${formatMappFault(readResult.fault)}`)
  return readResult.content
}
