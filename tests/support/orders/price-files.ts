/** Builds files of price lists, valid and invalid, and functions to export and import them. */
import { createHash } from 'node:crypto'
import type { ComparedPriceList } from '#domain/catalogue/price-differences.ts'
import { buildFileForm } from '#tests/support/uploads/pictures.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { zipFiles } from '#tests/support/uploads/zip.ts'

export const plainList = { type: 'saas', effective_date: '2031-01-01', desc: 'x', module: [], concurrentUser: [] }

export const buildManifest = (list: string | Buffer, overrides: object = {}) =>
  JSON.stringify({
    format: 'portal-price-list',
    version: 1,
    sha256: createHash('sha256').update(list).digest('hex'),
    ...overrides,
  })
/** Returns a file of that list. `overrides` replaces fields of its manifest. */
export const packList = (list: string | Buffer, overrides: object = {}) =>
  zipFiles([
    { name: 'price.json', bytes: list },
    { name: 'manifest.json', bytes: buildManifest(list, overrides) },
  ])
/** Builds a valid file. The list is stored without compression, so its bytes can be found in the zip. */
export const buildValidFile = () =>
  zipFiles([
    { name: 'price.json', bytes: JSON.stringify(plainList), isStored: true },
    { name: 'manifest.json', bytes: buildManifest(JSON.stringify(plainList)) },
  ])
/** Returns a file of a changed list, with a matching checksum. */
export const packChangedList = (change: (list: Record<string, unknown>) => void) => {
  const list: Record<string, unknown> = { ...plainList }
  change(list)
  return packList(JSON.stringify(list))
}

export const toComparedPrices = (list: Record<string, unknown>): ComparedPriceList => {
  const {
    id: _i,
    confirmed: _c,
    withdrawn: _w,
    row_version: _r,
    update_time: _t,
    update_user_name: _u,
    ...content
  } = list
  const withoutIds = (rows: unknown) =>
    (rows as Record<string, unknown>[]).map(({ id: _id, module_id: _module, ...row }) => row)
  const { concurrentUser, namedUser, module } = content
  const rows = {
    concurrentUser: withoutIds(concurrentUser),
    namedUser: withoutIds(namedUser),
    module: withoutIds(module),
  }
  return { ...content, ...rows } as unknown as ComparedPriceList
}

/** Returns functions for file calls. They are made by the user that is logged in when the function is called. */
export const createFileCalls = (getServer: () => TestServer, getStaff: () => SignedIn) => {
  const requestExportKey = (id: number | undefined, caller = getStaff()) =>
    caller.send({ method: 'POST', url: '/api/template/price/export', payload: { id } })
  const open = (key: string) => getServer().send({ url: `/public/template/price/${key}` })
  return {
    requestExportKey,
    open,
    exportFile: async (id: number | undefined) => (await open((await requestExportKey(id)).json())).rawPayload,
    upload: (bytes: Buffer, caller = getStaff(), name = 'list.zip') =>
      caller.send({ method: 'POST', url: '/api/template/price/upload', ...buildFileForm('file', { name, bytes }) }),
    importFile: (md5: string, caller = getStaff()) =>
      caller.send({ method: 'POST', url: '/api/template/price/import', payload: { md5 } }),
  }
}
