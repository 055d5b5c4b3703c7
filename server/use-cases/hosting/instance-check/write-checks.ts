/** Checks that replace the data of the instance. At the end it has the data and the packages that it had before. */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { contractPaths, dataType, isDraftId } from '#server/drivers/hosting/control/contract.ts'
import {
  type CheckClient,
  type CheckRequest,
  parseJsonText,
  quoteText,
  RequirementError,
} from '#server/use-cases/hosting/instance-check/check-client.ts'
import { encodeLines, readCheckedData, readCopyLines } from '#server/use-cases/hosting/instance-check/checked-data.ts'
import { listBadCopies } from '#server/use-cases/hosting/instance-check/bad-copies.ts'
import {
  type InstanceCheck,
  readPackageHashes,
  SkippedCheck,
} from '#server/use-cases/hosting/instance-check/read-checks.ts'

export interface WriteCheckOptions {
  /** Path of a new file for a copy of the data. */
  copyPath: string
  /** Bytes of a valid package. */
  samplePackage: Uint8Array
}

/** The data before the checks, which is copied to a file. */
interface StoredCopy {
  path: string
  digest: string
}

const dataHeaders = { 'content-type': dataType }
const jsonHeaders = { 'content-type': 'application/json' }
/** An instance may take this long in ms to check a draft. The check's own limit also applies. */
const checkMs = 30 * 60_000

const draftRequest = (body: CheckRequest['body']): CheckRequest => ({
  method: 'POST',
  path: contractPaths.drafts,
  headers: dataHeaders,
  responseMs: checkMs,
  ...(body && { body }),
})

const postCopy = async (client: CheckClient, copy: StoredCopy): Promise<string> => {
  const request = draftRequest(encodeLines(readCopyLines(copy.path)))
  const response = await client.expectStatus(request, 201, 'store the data as a draft and answer {"draft":"ID"}')
  const { draft } = (parseJsonText(response.text) ?? {}) as { draft?: unknown }
  if (isDraftId(draft)) return draft
  throw new RequirementError('wrong', {
    expected: '{"draft":"ID"}, with 1 to 100 letters, digits, "-" or "_" as ID',
    actual: quoteText(response.text),
    advice: 'answer with the id of the draft',
  })
}

const activate = (client: CheckClient, id: string, status = 204) =>
  client.expectStatus(
    { method: 'POST', path: `${contractPaths.drafts}/${id}/activate`, responseMs: checkMs },
    status,
    status === 204 ? 'replace the data by the draft, also if it is repeated' : 'answer 404 for an unknown draft',
  )

async function requireData(client: CheckClient, digest: string, advice: string): Promise<void> {
  const summary = await readCheckedData(client)
  if (summary.digest === digest) return
  throw new RequirementError('wrong', {
    expected: `data with the SHA-256 ${digest.slice(0, 16)}...`,
    actual: `${summary.digest.slice(0, 16)}... with ${summary.rowCount} rows`,
    advice,
  })
}

export function createWriteChecks({ copyPath, samplePackage }: WriteCheckOptions): InstanceCheck[] {
  let copy: StoredCopy | null = null
  let changedDigest = ''
  const requireCopy = () => {
    if (copy !== null) return copy
    throw new SkippedCheck('the data could not be copied')
  }
  const unchanged = 'change nothing if data is refused or cut'

  return [
    {
      requirement: 'the data can be copied before it is replaced',
      async run(client) {
        const { digest } = await readCheckedData(client, copyPath)
        copy = { path: copyPath, digest }
        changedDigest = digest
        return copyPath
      },
    },
    {
      requirement: 'passwords that are not acceptable are refused with 400',
      run: async (client) => await checkBadPasswords(client, requireCopy()),
    },
    {
      requirement: 'PUT /control/v1/admin-password sets the password',
      async run(client) {
        requireCopy()
        const body = JSON.stringify({ password: randomBytes(18).toString('base64url') })
        const request = { method: 'PUT', path: contractPaths.password, headers: jsonHeaders, body: Buffer.from(body) }
        await client.expectStatus(request, 204, 'set the password of the user admin')
        changedDigest = (await readCheckedData(client)).digest
        return null
      },
    },
    {
      requirement: 'inconsistent data is refused with 422 and changes nothing',
      async run(client) {
        const { path } = requireCopy()
        const badCopies = await listBadCopies(path)
        for (const { lines, problem } of badCopies) {
          const advice = `refuse data with this fault: ${problem}`
          await client.expectStatus(draftRequest(encodeLines(lines())), 422, advice)
        }
        await requireData(client, changedDigest, unchanged)
        return badCopies.map(({ problem }) => problem).join(', ')
      },
    },
    {
      requirement: 'a cut upload changes nothing',
      async run(client) {
        await cutUpload(client, requireCopy())
        await client.expectStatus({ method: 'GET', path: contractPaths.health }, 200, 'continue after a cut connection')
        await requireData(client, changedDigest, unchanged)
        return null
      },
    },
    {
      requirement: 'a draft does not change the data before it is activated',
      run: async (client) => await checkDraft(client, requireCopy(), changedDigest),
    },
    {
      requirement: 'an activated draft replaces all data, also if it is repeated',
      async run(client) {
        const currentCopy = requireCopy()
        const id = await postCopy(client, currentCopy)
        for (const advice of ['replace all data by the draft', 'answer 204 again and change nothing']) {
          await activate(client, id)
          await requireData(client, currentCopy.digest, advice)
        }
        changedDigest = currentCopy.digest
        await deleteDraft(client, id)
        return null
      },
    },
    {
      requirement: 'packages are loaded, checked and removed',
      run: async (client) => await checkPackages(client, samplePackage),
    },
    {
      requirement: 'the instance has the data of before again',
      run: async (client) => await putBack(client, requireCopy()),
    },
  ]
}

async function checkBadPasswords(client: CheckClient, { digest }: StoredCopy): Promise<null> {
  const bodies = ['no JSON', '{}', '{"password":5}', JSON.stringify({ password: '' })]
  const advice = 'refuse a body that is not {"password":"..."}, and an empty password'
  const request = { method: 'PUT', path: contractPaths.password, headers: jsonHeaders }
  for (const body of bodies) await client.expectStatus({ ...request, body: Buffer.from(body) }, 400, advice)
  const longBody = Buffer.from(JSON.stringify({ password: 'x'.repeat(5_000) }))
  await client.expectStatus({ ...request, body: longBody }, [400, 413], 'refuse a body of more than 4 KB')
  await requireData(client, digest, 'change nothing if a password is refused')
  return null
}

class CutError extends Error {}

/** In ms. */
const receiveMs = 300

/** Sends about half of the data and cuts the connection. */
async function cutUpload(client: CheckClient, { path }: StoredCopy): Promise<void> {
  let lineCount = 0
  for await (const _ of readCopyLines(path)) lineCount++
  async function* readHalf(): AsyncGenerator<string> {
    let index = 0
    for await (const line of readCopyLines(path)) {
      if (index++ >= Math.floor(lineCount / 2)) break
      yield line
    }
    // Lets the instance receive what was sent, before the connection is cut.
    await wait(receiveMs)
    throw new CutError()
  }
  try {
    const { status } = await client.send(draftRequest(encodeLines(readHalf())))
    throw new RequirementError('wrong', {
      expected: 'no response before the data ends',
      actual: `status ${status}`,
      advice: 'read the data to its end',
    })
  } catch (error) {
    if (!(error instanceof CutError)) throw error
  }
}

async function checkDraft(client: CheckClient, copy: StoredCopy, currentDigest: string): Promise<null> {
  const id = await postCopy(client, copy)
  await requireData(client, currentDigest, 'keep a draft apart from the data until it is activated')
  await deleteDraft(client, id)
  await activate(client, id, 404)
  await activate(client, 'instance-check', 404)
  await requireData(client, currentDigest, 'keep the data if the draft is unknown')
  return null
}

/** Twice, because a repeated deletion must succeed. */
async function deleteDraft(client: CheckClient, id: string): Promise<void> {
  for (let count = 0; count < 2; count++)
    await client.expectStatus(
      { method: 'DELETE', path: `${contractPaths.drafts}/${id}` },
      204,
      'answer 204, also if there is no such draft',
    )
}

async function checkPackages(client: CheckClient, bytes: Uint8Array): Promise<null> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const previousHashes = await readPackageHashes(client)
  const put = (hash: string, body: Uint8Array, status: number, advice: string) =>
    client.expectStatus({ method: 'PUT', path: `${contractPaths.packages}/${hash}`, body }, status, advice)
  await put('0'.repeat(64), bytes, 422, 'refuse a package whose SHA-256 differs from the address')
  const junk = randomBytes(1_000)
  await put(createHash('sha256').update(junk).digest('hex'), junk, 422, 'refuse a file that is not a package')
  await put(sha256, bytes, 204, 'store the package')
  await put(sha256, bytes, 204, 'answer 204 again for a package that is loaded already')
  await requirePackages(client, [...previousHashes, sha256], 'list exactly the packages that were loaded')
  const body = Buffer.from(JSON.stringify(previousHashes))
  const request = { method: 'POST', path: contractPaths.keepPackages, headers: jsonHeaders, body }
  await client.expectStatus(request, 204, 'delete all packages that are not in the list')
  await requirePackages(client, previousHashes, 'delete all packages that are not in the list, and no other')
  return null
}

async function requirePackages(client: CheckClient, hashes: readonly string[], advice: string): Promise<void> {
  const expectedHashes = [...new Set(hashes)].toSorted()
  const actualHashes = (await readPackageHashes(client)).toSorted()
  if (JSON.stringify(actualHashes) === JSON.stringify(expectedHashes)) return
  throw new RequirementError('wrong', {
    expected: `${expectedHashes.length} packages in GET ${contractPaths.packages}`,
    actual: `${actualHashes.length} packages, or others`,
    advice,
  })
}

async function putBack(client: CheckClient, copy: StoredCopy): Promise<null> {
  const { digest } = await readCheckedData(client)
  if (digest === copy.digest) return null
  await activate(client, await postCopy(client, copy))
  await requireData(client, copy.digest, `the data of before the checks is in ${copy.path}: send it as a draft`)
  return null
}
