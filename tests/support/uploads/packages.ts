/** Builds app packages for tests, with the packer of the command line. */
import { type AppFacts, packMapp } from '#server/use-cases/catalogue/pack-mapp.ts'
import { png } from '#tests/support/uploads/pictures.ts'

export const facts: AppFacts = {
  provider: 'm18',
  code: 'pay',
  name: 'Pay',
  module: 'crm',
  module_name: 'Customers',
  version: '1.0',
  min_version_required: null,
  release_date: '2026-01-05',
  flags: [{ key: 'digits', name: 'Digits', type: 'int', default: 2 }],
  requires: [],
}

export interface PackageParts {
  facts?: Partial<AppFacts> & Record<string, unknown>
  /** Files besides icon and change log. Null removes one of these two. */
  files?: Record<string, Uint8Array | string | null>
}

export async function packApp({ facts: moreFacts = {}, files = {} }: PackageParts = {}): Promise<Buffer> {
  const allFiles = {
    'icon.png': await png(32),
    'changelog.md': '# 1.0\n\nThe first one.\n',
    'data/forms.json': '{"forms": []}',
    ...files,
  }
  const filesByName = Object.entries(allFiles).flatMap(([name, bytes]): [string, Uint8Array][] =>
    bytes === null ? [] : [[name, Buffer.from(bytes as string)]],
  )
  return packMapp({ ...facts, ...moreFacts }, new Map(filesByName))
}

/** Packs an app without icon and change log, for tests that need neither. Building each of them takes longer than reading the package. */
export const packBareApp = ({ facts: moreFacts = {}, files = {} }: PackageParts = {}): Promise<Buffer> =>
  packApp({ facts: moreFacts, files: { 'icon.png': null, 'changelog.md': null, ...files } })

/** Returns `length` incompressible bytes, the same for the same seed. */
export function buildNoise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    bytes[index] = state >>> 24
  }
  return bytes
}
