/** Starts a server with a separate upload folder, and sends packages as one form or in pieces. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Engine } from '#tests/support/server/database.ts'
import { buildFileForm } from '#tests/support/uploads/pictures.ts'
import { type ServerOptions, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

export interface UploadServer {
  server: TestServer
  staff: SignedIn
  folder: string
}

/** Resets the test data and logs the provider's admin in before each test. The folder keeps its files. */
export function setUpUploads(engine: Engine, { env, settings }: ServerOptions = {}): UploadServer {
  const fixture = {} as UploadServer
  const files = mkdtempSync(join(tmpdir(), 'portal-files-'))
  beforeAll(async () => {
    fixture.folder = join(files, 'uploads')
    fixture.server = await startServer({ engine, env: { FILES_DIR: files, ...env }, ...(settings ? { settings } : {}) })
  }, 90_000)
  beforeEach(async () => {
    await fixture.server.reset()
    await rm(fixture.folder, { recursive: true, force: true })
    fixture.staff = await fixture.server.signIn('admin@m18')
  })
  afterAll(async () => {
    await fixture.server.close()
    await rm(files, { recursive: true, force: true })
  })
  return fixture
}

export const sendPackage = (
  caller: SignedIn,
  bytes: Uint8Array,
  name = 'pay.mapp',
  headers: Record<string, string> = {},
) => {
  const form = buildFileForm('file', { name, type: 'application/octet-stream', bytes })
  return caller.send({ method: 'POST', url: '/api/app/upload', ...form, headers: { ...form.headers, ...headers } })
}

/** Starts an upload of 100 bytes that are never sent (tus 1.0). */
export const beginUpload = (caller: SignedIn) =>
  caller.send({
    method: 'POST',
    url: '/api/app/upload/tus',
    headers: { 'tus-resumable': '1.0.0', 'upload-length': '100', 'upload-metadata': 'filename dC5tYXBw' },
  })

export const listUploads = async (caller: SignedIn) => (await caller.send({ url: '/api/app/upload' })).json()
