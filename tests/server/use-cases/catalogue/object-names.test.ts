/** Tests that property names which every object inherits are rejected as codes and keys (decision 71). */
import { beforeEach, describe, expect, it } from 'vitest'
import { readManifest } from '#domain/checks/manifest-checks.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readFieldErrors } from '#tests/support/server/forms.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'

const objectNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']
const validManifest = {
  format: 'portal-app',
  format_version: 1,
  provider: 'm18',
  code: 'barcode',
  name: 'Barcodes',
  module: 'stocktake',
  module_name: 'Stocktaking',
  version: '2.1',
  min_version_required: '2.0',
  release_date: '2025-10-13',
  files: [{ path: 'app/index.html', size: 1, sha256: 'a'.repeat(64) }],
}

describe('the manifest of a package', () => {
  it.each(objectNames)('is rejected with %s as a flag, a module or its own code (fault 17e)', (name) => {
    const flag = { key: name, name: 'X', type: 'boolean', default: true }
    for (const manifest of [
      { ...validManifest, flags: [flag] },
      { ...validManifest, code: name },
      { ...validManifest, module: name },
    ])
      expect(readManifest(JSON.stringify(manifest))).toMatchObject({ fault: { code: 'BAD_CODE' } })
  })
})

onConnections('names of objects', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
  })
  const updateFlag = (flag: string) =>
    staff.send({
      method: 'PUT',
      url: '/api/module/1',
      headers: { 'content-type': 'application/json' },
      payload: `{"apps":[{"code":"barcode","flag":{"${flag}":true}}]}`,
    })

  it.each(objectNames)(
    '%s is rejected as a flag and as a module code, and no object prototype is changed (fault 17e)',
    async (name) => {
      expect((await updateFlag(name)).statusCode).toBe(400)
      const module = { type: 'saas', name: 'X', code: name }
      expect(readFieldErrors(await staff.send({ method: 'POST', url: '/api/module', payload: module }))).toEqual([
        'code RESERVED',
      ])
      expect([({} as { admin?: unknown }).admin, Object.keys(Object.prototype)]).toEqual([undefined, []])
    },
  )
})
