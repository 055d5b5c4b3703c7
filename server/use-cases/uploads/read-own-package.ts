/** Packages that we made ourselves, or that somebody has on their own machine: read in this process, by the same reader. */
import { formatMappFault } from '#domain/catalogue/mapp.ts'
import { type PackageContent, readPackage } from '#server/drivers/packages/read-package.ts'

/** Its icon is the PNG that is in it. Throws for what is no package. */
export async function readOwnPackage(bytes: Buffer): Promise<PackageContent> {
  const readResult = await readPackage(bytes)
  if ('fault' in readResult) throw new Error(`a package of our own is refused: ${formatMappFault(readResult.fault)}`)
  return readResult.content
}
