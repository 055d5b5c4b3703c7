/** Tests that files which are not a price list of this portal are each rejected with their own reason (contracts 5, U-05 to U-08). */
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import enPrices from '#locales/en/prices.json' with { type: 'json' }
import zhPrices from '#locales/zh/prices.json' with { type: 'json' }
import { runInTransaction } from '#server/db/transaction.ts'
import { createRandom, pick, suiteSeed } from '#tests/support/runner/random.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { mutateBytes } from '#tests/support/uploads/mutate-bytes.ts'
import { buildFileForm } from '#tests/support/uploads/pictures.ts'
import { buildValidList } from '#tests/support/orders/price-cases.ts'
import {
  createFileCalls,
  buildManifest,
  packList,
  packChangedList,
  plainList,
  buildValidFile,
} from '#tests/support/orders/price-files.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import { findHeader, swapText, writeNumber, zipFiles } from '#tests/support/uploads/zip.ts'
import { readZip } from '#server/drivers/zip-reader.ts'

const charge = { hkd: '1.00', usd: '1.00', rmb: '1.00' }
const range = { from: 1, to: 9, ...charge }
const coreModule = { code: 'core', ...charge }
const { pdbPrice: backupPrices } = buildValidList({ core: 1, fin: 2, base: 3 })

/** Changes the central directory, so that it marks the first file as encrypted, or as compressed with LZMA. */
const markEncrypted = (bytes: Buffer) => writeNumber(bytes, findHeader(bytes, 'central') + 8, 1, 2)
const markOtherPacking = (bytes: Buffer) => writeNumber(bytes, findHeader(bytes, 'central') + 10, 14, 2)

onConnections('importing a price list file', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
  })
  const { exportFile, upload, importFile } = createFileCalls(
    () => fixture.server,
    () => staff,
  )

  describe('reading a file of another program', () => {
    const limits = { entries: 10, entryBytes: 1e6, totalBytes: 1e6 }
    /** Puts each exported file into another zip, with another name or other bytes. */
    async function repackFiles(
      {
        name = (original) => original,
        bytes = (content) => content,
        otherFiles = [],
      }: {
        name?: (name: string) => string
        bytes?: (text: Buffer) => Buffer
        otherFiles?: { name: string; bytes: string }[]
      },
      comment?: string,
    ) {
      const files = await readZip(await exportFile(fixture.priceListIds[0]), limits)
      const packedFiles = [...files].map(([from, content]) => ({ name: name(from), bytes: bytes(content) }))
      return zipFiles([...packedFiles, ...otherFiles], comment)
    }
    const addByteOrderMark = (text: Buffer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text])
    const encodeUtf16 = (text: Buffer) => Buffer.from(`\uFEFF${text.toString()}`, 'utf16le')
    const encodeUtf16BigEndian = (text: Buffer) => encodeUtf16(text).swap16()

    test.each<[string, () => Promise<Buffer>]>([
      ['with a comment', () => repackFiles({}, 'Packed by hand, see PK.txt')],
      ['with its content in a folder', () => repackFiles({ name: (name) => `price list/${name}` })],
      [
        'packed on a Mac',
        () =>
          repackFiles({
            name: (name) => `list/${name}`,
            otherFiles: [
              { name: '__MACOSX/list/._price.json', bytes: 'x' },
              { name: 'list/.DS_Store', bytes: 'x' },
            ],
          }),
      ],
      ['packed on Windows', () => repackFiles({ otherFiles: [{ name: 'Thumbs.db', bytes: 'x' }] })],
      ['with byte order marks', () => repackFiles({ bytes: addByteOrderMark })],
      ['stored in UTF-16', () => repackFiles({ bytes: encodeUtf16 })],
      ['stored in big-endian UTF-16', () => repackFiles({ bytes: encodeUtf16BigEndian })],
      [
        'with the line ends of Windows',
        () => repackFiles({ bytes: (text) => Buffer.from(text.toString().replaceAll('\n', '\r\n')) }),
      ],
    ])('accepts a file %s (fault 24a)', async (_, makeFile) => {
      const response = await upload(await makeFile())
      expect([response.statusCode, response.json().data]).toEqual([200, undefined])
    })

    test.each<[string, () => Promise<Buffer>, string]>([
      [
        'a second list of files in the comment',
        async () => swapText(await repackFiles({}, 'PKxx'), 'PKxx', 'PK\u0005\u0006'),
        'notZip',
      ],
      ['files in two folders', () => repackFiles({ name: (name) => `${name}/${name}` }), 'missingPart manifest.json'],
      [
        'a folder name that leaves the archive',
        async () => swapText(await repackFiles({ name: (name) => `ab/${name}` }), 'ab/p', '../p'),
        'unsafeName ../price.json',
      ],
      ['an encrypted file', async () => markEncrypted(await repackFiles({})), 'encrypted'],
      ['an unsupported compression method', async () => markOtherPacking(await repackFiles({})), 'packing'],
    ])('reports the cause of a fault: %s (fault 24b)', async (_, makeFile, expectedReason) => {
      const response = await upload(await makeFile())
      expect(response.json().data[0]).toMatchObject({ code: 'BAD_ARCHIVE', named: expectedReason })
    })
  })

  describe('reading a faulty file', () => {
    const listReasons = (response: Awaited<ReturnType<typeof upload>>) =>
      (response.json().data ?? []).map(
        ({ field, code, named: details }: { field: string; code: string; named: string }) => [field, code, details],
      )
    const json = (value: unknown) => JSON.stringify(value)
    const packListWithField = (name: string, value: unknown) => packChangedList((list) => (list[name] = value))
    const buildZipBomb = (size: number) => zipFiles([{ name: 'price.json', bytes: Buffer.alloc(size) }])
    /** Returns text that compresses to a quarter of its size. */
    const buildRandomText = (size: number) => Buffer.from(randomBytes(size).map((byte) => 97 + (byte & 3)))

    test.each<[string, () => Promise<Buffer>, string]>([
      ['a file that is not a zip', async () => Buffer.from('PK? no'), 'notZip'],
      ['a file of one byte', async () => Buffer.from('x'), 'notZip'],
      [
        'the first 500 bytes of a zip',
        async () => (await exportFile(fixture.priceListIds[0])).subarray(0, 500),
        'notZip',
      ],
      ['a zip with changed bytes', async () => swapText(await buildValidFile(), '2031', '2032'), 'notZip'],
      ['a zip that unpacks to a thousand times its size', () => buildZipBomb(1_000_000), 'unsafe'],
      [
        'a zip with a path that leaves the archive',
        async () => swapText(await zipFiles([{ name: 'aa/bb/c', bytes: 'x' }]), 'aa/bb/c', 'aa/../c'),
        'unsafeName aa/../c',
      ],
      [
        'a zip with twenty-one files',
        () => zipFiles(Array.from({ length: 21 }, (_, index) => ({ name: `${index}`, bytes: 'x' }))),
        'tooManyFiles',
      ],
      ['a link', () => zipFiles([{ name: 'price.json', bytes: 'x', mode: 0o120777 }]), 'unsafe'],
      [
        'a file of 4,000,001 bytes',
        () => zipFiles([{ name: 'price.json', bytes: buildRandomText(4_000_001) }]),
        'tooLarge',
      ],
      [
        'files of 5,000,001 bytes',
        () =>
          zipFiles([
            { name: 'price.json', bytes: buildRandomText(4_000_000) },
            { name: 'other.json', bytes: buildRandomText(1_000_001) },
          ]),
        'tooLarge',
      ],
      ['a zip with other content', () => zipFiles([{ name: 'a.txt', bytes: 'x' }]), 'missingPart manifest.json'],
      ['a list without a manifest', () => zipFiles([{ name: 'price.json', bytes: '{}' }]), 'missingPart manifest.json'],
      [
        'a manifest without a list',
        () => zipFiles([{ name: 'manifest.json', bytes: buildManifest('{}') }]),
        'missingPart price.json',
      ],
      ['a package of an app', () => packList('{}', { format: 'mapp', version: 1 }), 'otherFormat'],
      ['a later version of the format', () => packList('{}', { version: 2 }), 'otherFormat'],
      [
        'a manifest that is not JSON',
        () =>
          zipFiles([
            { name: 'price.json', bytes: '{}' },
            { name: 'manifest.json', bytes: '{' },
          ]),
        'otherFormat',
      ],
      ['an invalid checksum', () => packList('{}', { sha256: 'x' }), 'otherFormat'],
      ['a wrong checksum', () => packList(json(plainList), { sha256: '0'.repeat(64) }), 'wrongHash'],
      ['an unknown field', () => packListWithField('uat_chargee', '1.00'), 'foreignFields uat_chargee'],
      ['the confirmed flag', () => packListWithField('confirmed', true), 'foreignFields confirmed'],
      [
        'an unknown field in a range',
        () => packListWithField('namedUser', [range, { ...range, eur: '1.00' }]),
        'foreignFields namedUser.1.eur',
      ],
      [
        'the id of a module',
        () => packListWithField('module', [{ ...coreModule, module_id: 1 }]),
        'foreignFields module.0.module_id',
      ],
      [
        'an unknown field among the backup prices',
        () => packListWithField('pdbPrice', { ...backupPrices, extra: '1.00' }),
        'foreignFields pdbPrice.extra',
      ],
      [
        'an unknown field in the manifest',
        () => packList(json(plainList), { author: 'x' }),
        'foreignFields manifest.json author',
      ],
      [
        'an unknown field with hidden characters in its name',
        () => packListWithField('a\u202eb\n', 1),
        'foreignFields a�b�',
      ],
      ['an invalid amount', () => packListWithField('min_fee_hkd', '1e3'), 'badList min_fee_hkd'],
      ['a negative amount', () => packListWithField('min_fee_hkd', '-1.00'), 'badList min_fee_hkd'],
      ['a percentage that is too high', () => packListWithField('uat_charge', '1000.00'), 'badList uat_charge'],
      [
        'a range above the maximum of users',
        () => packListWithField('namedUser', [{ ...range, to: 1_000_000 }]),
        'badList namedUser.0.to',
      ],
      ['the same module twice', () => packListWithField('module', [coreModule, coreModule]), 'badList module.1.code'],
      [
        'a row without a module',
        () => packListWithField('module', [{ ...coreModule, code: '' }]),
        'badList module.0.code',
      ],
      ['a missing date', () => packChangedList((list) => delete list['effective_date']), 'badList effective_date'],
      ['an invalid date', () => packListWithField('effective_date', '2031-02-29'), 'badList effective_date'],
      ['a description of spaces', () => packListWithField('desc', '  '), 'badList desc'],
      ['text with a NUL character', () => packListWithField('desc', 'a\0b'), 'badList desc'],
      ['half a surrogate pair', () => packList(json(plainList).replace('"x"', '"\\ud800"')), 'badList desc'],
      [
        'bytes that are not UTF-8',
        () => packList(Buffer.from(json(plainList).replace('"x"', '"\xff"'), 'latin1')),
        'badList price.json',
      ],
      ['an unknown client type', () => packListWithField('type', 'xyz'), 'badList type'],
      ['an array instead of a list', () => packList('[]'), 'badList price.json'],
      ['a list that is not JSON', () => packList('{"a":'), 'badList price.json'],
      [
        'a list with a duplicate field',
        () => packList(json(plainList).replace('{', '{"desc":"y",')),
        'badList price.json',
      ],
      [
        'a list with __proto__',
        () => packList(json(plainList).replace('{', '{"__proto__":{"type":"mma"},')),
        'badList price.json',
      ],
      [
        'a list ten thousand levels deep',
        () => packList(`${'['.repeat(10_000)}${']'.repeat(10_000)}`),
        'badList price.json',
      ],
      [
        'a list of more values than a request may have (fault 2p)',
        () => packList(`{"desc":"x","module":[${Array.from({ length: 40_000 }, (_, index) => index).join()}]}`),
        'badList price.json',
      ],
      [
        'a list with 501 unknown fields (fault 2p)',
        () => packChangedList((list) => Array.from({ length: 501 }, (_, index) => (list[`field${index}`] = 1))),
        'badList price.json',
      ],
      [
        'a manifest with 501 unknown fields (fault 2p)',
        () =>
          packList(
            json(plainList),
            Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`field${index}`, 1])),
          ),
        'otherFormat',
      ],
    ])('rejects the file with the reason: %s', async (_, makeFile, expectedReason) => {
      const response = await upload(await makeFile())
      expect([response.statusCode, listReasons(response)]).toEqual([400, [['file', 'BAD_ARCHIVE', expectedReason]]])
      expect(await countStoredFiles()).toBe(0)
    })

    test('returns the message of the page in both languages', async () => {
      const bytes = await packList(json(plainList), { sha256: '0'.repeat(64) })
      const form = buildFileForm('file', { name: 'list.zip', bytes })
      const readMessage = async (language: string) =>
        (
          await staff.send({
            method: 'POST',
            url: '/api/template/price/upload',
            payload: form.payload,
            headers: { ...form.headers, 'accept-language': language },
          })
        ).json().data[0].message
      expect([await readMessage('en'), await readMessage('zh')]).toEqual([
        enPrices.fault.wrongHash,
        zhPrices.fault.wrongHash,
      ])
      const foreignFieldResponse = await upload(await packListWithField('uat_chargee', '1.00'))
      expect(foreignFieldResponse.json().data[0].message).toContain('uat_chargee')
    })

    test('rejects another file extension, but not .ZIP (contracts 5)', async () => {
      const bytes = await exportFile(fixture.priceListIds[0])
      for (const name of ['list.zip.exe', 'list.mapp', 'zip', '.zip', `${'a'.repeat(200)}.zip`])
        expect([name, listReasons(await upload(bytes, staff, name))]).toEqual([
          name,
          [['file', 'BAD_ARCHIVE', 'wrongEnding']],
        ])
      for (const name of ['list.ZIP', '价目表.zip', 'a b.zip'])
        expect([name, (await upload(bytes, staff, name)).statusCode]).toEqual([name, 200])
    })

    test('rejects more bytes than a form may have', async () => {
      expect(readStatusAndCode(await upload(Buffer.alloc(3_000_000)))).toEqual([413, 'TOO_LARGE'])
    })

    test('rejects an unknown field in a file that an older version had accepted', async () => {
      const { md5 } = (await upload(await buildValidFile())).json()
      const content = json({ ...plainList, surprise: 1 })
      await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
        db.updateTable('price_upload').set({ content }).execute(),
      )
      expect(listReasons(await importFile(md5))).toEqual([['file', 'BAD_ARCHIVE', 'foreignFields surprise']])
    })

    const countStoredFiles = async () =>
      (
        await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
          db.selectFrom('price_upload').select('md5').execute(),
        )
      ).length
  })

  test('five hundred damaged files are each rejected with one reason or read as a valid file (U-05 to U-08)', async () => {
    const [exportedFile, otherFile] = [await exportFile(fixture.priceListIds[0]), await buildValidFile()]
    // A mutation that leaves almost nothing of the first file returns the other file, so both lists are valid.
    const validLists = [(await upload(exportedFile)).json().list, (await upload(otherFile)).json().list]
    const random = createRandom(suiteSeed)
    const countsByOutcome = new Map<string, number>()
    for (let index = 0; index < 500; index++) {
      const response = await upload(mutateBytes(random, exportedFile, otherFile))
      const { data, list } = response.json()
      const [{ code = '', named: details = '' } = {}, ...otherProblems] = data ?? []
      expect(otherProblems).toEqual([])
      const outcome = response.statusCode === 200 ? 'taken' : `${response.statusCode} ${code} ${details.split(' ')[0]}`
      countsByOutcome.set(outcome, (countsByOutcome.get(outcome) ?? 0) + 1)
      if (outcome === 'taken') expect(validLists).toContainEqual(list)
      else if (code !== 'REQUIRED') expect(outcome).toMatch(/^400 BAD_ARCHIVE /)
    }
    expect(fixture.server.readLog()).not.toMatch(/"level":(50|60)/)
    // Most damage makes the zip unreadable. Faults in the files of a readable zip are tested one by one above.
    expect(countsByOutcome.get('400 BAD_ARCHIVE notZip')).toBeGreaterThan(200)
  })

  test('any value in a field of a list is accepted or rejected with one reason (F-03)', async () => {
    const hostileValues = [
      null,
      true,
      -1,
      1.5,
      1e308,
      '',
      ' ',
      'x',
      '-0.01',
      '9'.repeat(2000),
      'a\0b',
      '\ud800',
      [],
      {},
      [[]],
      'mma',
    ]
    const { list } = (await upload(await exportFile(fixture.priceListIds[0]))).json()
    const listPaths = (value: unknown, path: string[] = []): string[][] =>
      typeof value === 'object' && value !== null
        ? [path, ...Object.entries(value).flatMap(([name, child]) => listPaths(child, [...path, name]))]
        : [path]
    const random = createRandom(suiteSeed)
    const seenStatuses = new Set<number>()
    for (let index = 0; index < 200; index++) {
      const changedFile = { list: structuredClone(list) }
      const changedPath = ['list', ...pick(random, listPaths(list))]
      const parentValue = changedPath
        .slice(0, -1)
        .reduce<Record<string, unknown>>((from, name) => from[name] as never, changedFile)
      parentValue[changedPath.at(-1) ?? ''] = pick(random, hostileValues)
      const response = await upload(await packList(JSON.stringify(changedFile.list)))
      const { data } = response.json()
      if (response.statusCode === 400)
        expect([changedPath, data]).toEqual([changedPath, [expect.objectContaining({ code: 'BAD_ARCHIVE' })]])
      else expect([200, 403]).toContain(response.statusCode)
      seenStatuses.add(response.statusCode)
    }
    expect(seenStatuses).toContain(400)
    expect(fixture.server.readLog()).not.toMatch(/"level":(50|60)/)
  })
})
