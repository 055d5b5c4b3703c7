/** Files of price lists: sound ones, and ones that say something else; and how they go in and out of a server. */
import { createHash } from 'node:crypto'
import type { ComparedPrices } from '#domain/catalogue/prices.ts'
import { formWith } from '#tests/support/uploads/pictures.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { zipped } from '#tests/support/uploads/zip.ts'

/** All that a file has to say of a list. */
export const plainList = { type: 'saas', effective_date: '2031-01-01', desc: 'x', module: [], concurrentUser: [] }

export const manifestOf = (list: string | Buffer, said: object = {}) =>
  JSON.stringify({
    format: 'portal-price-list',
    version: 1,
    sha256: createHash('sha256').update(list).digest('hex'),
    ...said,
  })
/** A file of that list, with what its manifest says otherwise. */
export const packed = (list: string | Buffer, said: object = {}) =>
  zipped([
    { name: 'price.json', bytes: list },
    { name: 'manifest.json', bytes: manifestOf(list, said) },
  ])
/** Stored, so that its bytes can be found in the zip. */
export const soundFile = () =>
  zipped([
    { name: 'price.json', bytes: JSON.stringify(plainList), stored: true },
    { name: 'manifest.json', bytes: manifestOf(JSON.stringify(plainList)) },
  ])
/** With a sum that fits. */
export const packedWith = (change: (list: Record<string, unknown>) => void) => {
  const list: Record<string, unknown> = { ...plainList }
  change(list)
  return packed(JSON.stringify(list))
}

/** What of a list a file says. */
export const saidIn = (list: Record<string, unknown>): ComparedPrices => {
  const { id: _i, confirmed: _c, withdrawn: _w, row_version: _r, update_time: _t, update_user_name: _u, ...said } = list
  const plain = (rows: unknown) =>
    (rows as Record<string, unknown>[]).map(({ id: _id, module_id: _module, ...row }) => row)
  const { concurrentUser, namedUser, module } = said
  const rows = { concurrentUser: plain(concurrentUser), namedUser: plain(namedUser), module: plain(module) }
  return { ...said, ...rows } as unknown as ComparedPrices
}

/** The calls about files, by whoever is signed in when one is made. */
export const fileCalls = (serverOf: () => TestServer, staff: () => SignedIn) => {
  const keyOf = (id: number | undefined, by = staff()) =>
    by.send({ method: 'POST', url: '/api/template/price/export', payload: { id } })
  const open = (key: string) => serverOf().send({ url: `/public/template/price/${key}` })
  return {
    keyOf,
    open,
    exported: async (id: number | undefined) => (await open((await keyOf(id)).json())).rawPayload,
    upload: (bytes: Buffer, by = staff(), name = 'list.zip') =>
      by.send({ method: 'POST', url: '/api/template/price/upload', ...formWith('file', { name, bytes }) }),
    take: (md5: string, by = staff()) =>
      by.send({ method: 'POST', url: '/api/template/price/import', payload: { md5 } }),
  }
}
