/** Files that are no price list, or not one of ours: each refused with a reason of its own (contracts 5, U-05 to U-08). */
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import enPrices from '#locales/en/prices.json' with { type: 'json' }
import zhPrices from '#locales/zh/prices.json' with { type: 'json' }
import { inTransaction } from '#server/db/transaction.ts'
import { chanceOf, pick, suiteSeed } from '#tests/support/runner/chance.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { told } from '#tests/support/server/forms.ts'
import { mutated } from '#tests/support/uploads/mutated.ts'
import { formWith } from '#tests/support/uploads/pictures.ts'
import { soundList } from '#tests/support/orders/price-cases.ts'
import { fileCalls, manifestOf, packed, packedWith, plainList, soundFile } from '#tests/support/orders/price-files.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import { headerAt, swapped, withNumber, zipped } from '#tests/support/uploads/zip.ts'
import { readArchive } from '#server/drivers/zip-reader.ts'

const charge = { hkd: '1.00', usd: '1.00', rmb: '1.00' }
const range = { from: 1, to: 9, ...charge }
const { pdbPrice: backup } = soundList({ core: 1, fin: 2, base: 3 })

/** The list of files says of the first one that it is encrypted, or packed by LZMA. */
const locked = (bytes: Buffer) => withNumber(bytes, headerAt(bytes, 'central') + 8, 1, 2)
const packedOtherwise = (bytes: Buffer) => withNumber(bytes, headerAt(bytes, 'central') + 10, 14, 2)

onConnections('a file', (engine) => {
  const the = setUpShop(engine)
  let staff: SignedIn
  beforeEach(async () => {
    staff = await the.server.signIn('admin@m18')
  })
  const { exported, upload, take } = fileCalls(
    () => the.server,
    () => staff,
  )

  describe('is taken as it comes out of other programs:', () => {
    const limits = { entries: 10, entryBytes: 1e6, totalBytes: 1e6 }
    /** The exported files, each put into another zip under another name or in other bytes. */
    async function repacked(
      {
        name = (one) => one,
        bytes = (one) => one,
        beside = [],
      }: {
        name?: (name: string) => string
        bytes?: (text: Buffer) => Buffer
        beside?: { name: string; bytes: string }[]
      },
      comment?: string,
    ) {
      const files = await readArchive(await exported(the.lists[0]), limits)
      const packed = [...files].map(([from, content]) => ({ name: name(from), bytes: bytes(content) }))
      return zipped([...packed, ...beside], comment)
    }
    const marked = (text: Buffer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text])
    const wide = (text: Buffer) => Buffer.from(`\uFEFF${text.toString()}`, 'utf16le')
    const wideBigEnd = (text: Buffer) => wide(text).swap16()

    test.each<[string, () => Promise<Buffer>]>([
      ['with a comment', () => repacked({}, 'Packed by hand, see PK.txt')],
      ['in a folder', () => repacked({ name: (name) => `price list/${name}` })],
      [
        'from a Mac',
        () =>
          repacked({
            name: (name) => `list/${name}`,
            beside: [
              { name: '__MACOSX/list/._price.json', bytes: 'x' },
              { name: 'list/.DS_Store', bytes: 'x' },
            ],
          }),
      ],
      ['from Windows', () => repacked({ beside: [{ name: 'Thumbs.db', bytes: 'x' }] })],
      ['stored by an editor with a mark', () => repacked({ bytes: marked })],
      ['stored in UTF-16', () => repacked({ bytes: wide })],
      ['stored in UTF-16, big end first', () => repacked({ bytes: wideBigEnd })],
      [
        'with the line ends of Windows',
        () => repacked({ bytes: (text) => Buffer.from(text.toString().replaceAll('\n', '\r\n')) }),
      ],
    ])('fault 24a %s', async (_, make) => {
      const answer = await upload(await make())
      expect([answer.statusCode, answer.json().data]).toEqual([200, undefined])
    })

    test.each<[string, () => Promise<Buffer>, string]>([
      [
        'a second list of files in the comment',
        async () => swapped(await repacked({}, 'PKxx'), 'PKxx', 'PK\u0005\u0006'),
        'notZip',
      ],
      ['two folders', () => repacked({ name: (name) => `${name}/${name}` }), 'missingPart manifest.json'],
      [
        'a folder that leads elsewhere',
        async () => swapped(await repacked({ name: (name) => `ab/${name}` }), 'ab/p', '../p'),
        'unsafeName ../price.json',
      ],
      ['a password', async () => locked(await repacked({})), 'encrypted'],
      ['a packing of another kind', async () => packedOtherwise(await repacked({})), 'packing'],
    ])('fault 24b and refused with its cause: %s', async (_, make, why) => {
      const answer = await upload(await make())
      expect(answer.json().data[0]).toMatchObject({ code: 'BAD_ARCHIVE', named: why })
    })
  })

  describe('is refused with its reason:', () => {
    const whys = (answer: Awaited<ReturnType<typeof upload>>) =>
      (answer.json().data ?? []).map(({ field, code, named }: { field: string; code: string; named: string }) => [
        field,
        code,
        named,
      ])
    const json = (value: unknown) => JSON.stringify(value)
    const bomb = (size: number) => zipped([{ name: 'price.json', bytes: Buffer.alloc(size) }])
    /** Packs to a quarter. */
    const long = (size: number) => Buffer.from(randomBytes(size).map((byte) => 97 + (byte & 3)))

    test.each<[string, () => Promise<Buffer>, string]>([
      ['no zip', async () => Buffer.from('PK? no'), 'notZip'],
      ['one byte', async () => Buffer.from('x'), 'notZip'],
      ['half of one', async () => (await exported(the.lists[0])).subarray(0, 500), 'notZip'],
      ['one in which a byte is another', async () => swapped(await soundFile(), '2031', '2032'), 'notZip'],
      ['one that unpacks to a thousand times of it', () => bomb(1_000_000), 'unsafe'],
      [
        'one that leads elsewhere',
        async () => swapped(await zipped([{ name: 'aa/bb/c', bytes: 'x' }]), 'aa/bb/c', 'aa/../c'),
        'unsafeName aa/../c',
      ],
      [
        'one with twenty-one files',
        () => zipped(Array.from({ length: 21 }, (_, at) => ({ name: `${at}`, bytes: 'x' }))),
        'tooManyFiles',
      ],
      ['a link', () => zipped([{ name: 'price.json', bytes: 'x', mode: 0o120777 }]), 'unsafe'],
      ['a file of 4,000,001 bytes', () => zipped([{ name: 'price.json', bytes: long(4_000_001) }]), 'tooLarge'],
      [
        'files of 5,000,001 bytes',
        () =>
          zipped([
            { name: 'price.json', bytes: long(4_000_000) },
            { name: 'other.json', bytes: long(1_000_001) },
          ]),
        'tooLarge',
      ],
      ['a zip of something else', () => zipped([{ name: 'a.txt', bytes: 'x' }]), 'missingPart manifest.json'],
      ['a list without a manifest', () => zipped([{ name: 'price.json', bytes: '{}' }]), 'missingPart manifest.json'],
      [
        'a manifest without a list',
        () => zipped([{ name: 'manifest.json', bytes: manifestOf('{}') }]),
        'missingPart price.json',
      ],
      ['a package of an app', () => packed('{}', { format: 'mapp', version: 1 }), 'otherFormat'],
      ['a later version', () => packed('{}', { version: 2 }), 'otherFormat'],
      [
        'a manifest that is no JSON',
        () =>
          zipped([
            { name: 'price.json', bytes: '{}' },
            { name: 'manifest.json', bytes: '{' },
          ]),
        'otherFormat',
      ],
      ['a sum that is none', () => packed('{}', { sha256: 'x' }), 'otherFormat'],
      ['another sum', () => packed(json(plainList), { sha256: '0'.repeat(64) }), 'wrongHash'],
      [
        'a field of somebody else',
        () => packedWith((list) => (list['uat_chargee'] = '1.00')),
        'foreignFields uat_chargee',
      ],
      ['that it is confirmed', () => packedWith((list) => (list['confirmed'] = true)), 'foreignFields confirmed'],
      [
        'a field of somebody else in a range',
        () => packedWith((list) => (list['namedUser'] = [range, { ...range, eur: '1.00' }])),
        'foreignFields namedUser.1.eur',
      ],
      [
        'the id of a module',
        () => packedWith((list) => (list['module'] = [{ code: 'core', module_id: 1, ...charge }])),
        'foreignFields module.0.module_id',
      ],
      [
        'a field of somebody else among the backup prices',
        () => packedWith((list) => (list['pdbPrice'] = { ...backup, extra: '1.00' })),
        'foreignFields pdbPrice.extra',
      ],
      [
        'a field of somebody else in the manifest',
        () => packed(json(plainList), { author: 'x' }),
        'foreignFields manifest.json author',
      ],
      [
        'a field of somebody else with a name that is no text to show',
        () => packedWith((list) => (list['a\u202eb\n'] = 1)),
        'foreignFields a�b�',
      ],
      ['an amount that is none', () => packedWith((list) => (list['min_fee_hkd'] = '1e3')), 'badList min_fee_hkd'],
      ['an amount below nothing', () => packedWith((list) => (list['min_fee_hkd'] = '-1.00')), 'badList min_fee_hkd'],
      ['a percent too high', () => packedWith((list) => (list['uat_charge'] = '1000.00')), 'badList uat_charge'],
      [
        'more users than there are',
        () => packedWith((list) => (list['namedUser'] = [{ ...range, to: 1_000_000 }])),
        'badList namedUser.0.to',
      ],
      [
        'a module twice',
        () =>
          packedWith(
            (list) =>
              (list['module'] = [
                { code: 'core', ...charge },
                { code: 'core', ...charge },
              ]),
          ),
        'badList module.1.code',
      ],
      [
        'a row without a module',
        () => packedWith((list) => (list['module'] = [{ code: '', ...charge }])),
        'badList module.0.code',
      ],
      ['no day', () => packedWith((list) => delete list['effective_date']), 'badList effective_date'],
      [
        'a day that is none',
        () => packedWith((list) => (list['effective_date'] = '2031-02-29')),
        'badList effective_date',
      ],
      ['a description of spaces', () => packedWith((list) => (list['desc'] = '  ')), 'badList desc'],
      ['text that no database keeps', () => packedWith((list) => (list['desc'] = 'a\0b')), 'badList desc'],
      ['half a character', () => packed(json(plainList).replace('"x"', '"\\ud800"')), 'badList desc'],
      [
        'bytes that are no text',
        () => packed(Buffer.from(json(plainList).replace('"x"', '"\xff"'), 'latin1')),
        'badList price.json',
      ],
      ['a client type of nobody', () => packedWith((list) => (list['type'] = 'xyz')), 'badList type'],
      ['a list that is none', () => packed('[]'), 'badList price.json'],
      ['a list that is no JSON', () => packed('{"a":'), 'badList price.json'],
      [
        'a list that says one thing twice',
        () => packed(json(plainList).replace('{', '{"desc":"y",')),
        'badList price.json',
      ],
      [
        'a list with __proto__',
        () => packed(json(plainList).replace('{', '{"__proto__":{"type":"mma"},')),
        'badList price.json',
      ],
      [
        'a list ten thousand levels deep',
        () => packed(`${'['.repeat(10_000)}${']'.repeat(10_000)}`),
        'badList price.json',
      ],
      [
        'fault 2p a list of more values than a request may hold',
        () => packed(`{"desc":"x","module":[${Array.from({ length: 40_000 }, (_, at) => at).join()}]}`),
        'badList price.json',
      ],
      [
        'fault 2p a list of thousands of fields',
        () => packedWith((list) => Array.from({ length: 501 }, (_, at) => (list[`field${at}`] = 1))),
        'badList price.json',
      ],
      [
        'fault 2p a manifest of thousands of fields',
        () => packed(json(plainList), Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`field${at}`, 1]))),
        'otherFormat',
      ],
    ])('%s', async (_, make, why) => {
      const answer = await upload(await make())
      expect([answer.statusCode, whys(answer)]).toEqual([400, [['file', 'BAD_ARCHIVE', why]]])
      expect(await kept()).toBe(0)
    })

    test('says so in the words of the page, in both languages', async () => {
      const bytes = await packed(json(plainList), { sha256: '0'.repeat(64) })
      const form = formWith('file', { name: 'list.zip', bytes })
      const said = async (language: string) =>
        (
          await staff.send({
            method: 'POST',
            url: '/api/template/price/upload',
            payload: form.payload,
            headers: { ...form.headers, 'accept-language': language },
          })
        ).json().data[0].message
      expect([await said('en'), await said('zh')]).toEqual([enPrices.fault.wrongHash, zhPrices.fault.wrongHash])
      const foreign = await upload(await packedWith((list) => (list['uat_chargee'] = '1.00')))
      expect(foreign.json().data[0].message).toContain('uat_chargee')
    })

    test('a file that ends in something else, and none that ends in .ZIP (contracts 5)', async () => {
      const bytes = await exported(the.lists[0])
      for (const name of ['list.zip.exe', 'list.mapp', 'zip', '.zip', `${'a'.repeat(200)}.zip`])
        expect([name, whys(await upload(bytes, staff, name))]).toEqual([name, [['file', 'BAD_ARCHIVE', 'wrongEnding']]])
      for (const name of ['list.ZIP', '价目表.zip', 'a b.zip'])
        expect([name, (await upload(bytes, staff, name)).statusCode]).toEqual([name, 200])
    })

    test('more bytes than a form may have', async () => {
      expect(told(await upload(Buffer.alloc(3_000_000)))).toEqual([413, 'TOO_LARGE'])
    })

    test('a foreign field in what was looked into before such were refused', async () => {
      const { md5 } = (await upload(await soundFile())).json()
      const content = json({ ...plainList, surprise: 1 })
      await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
        db.updateTable('price_upload').set({ content }).execute(),
      )
      expect(whys(await take(md5))).toEqual([['file', 'BAD_ARCHIVE', 'foreignFields surprise']])
    })

    const kept = async () =>
      (
        await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
          db.selectFrom('price_upload').select('md5').execute(),
        )
      ).length
  })

  test('five hundred damaged files are each refused with one reason, or say what a sound one does (U-05 to U-08)', async () => {
    const [one, other] = [await exported(the.lists[0]), await soundFile()]
    // A file of which next to nothing was left becomes the other one.
    const both = [(await upload(one)).json().list, (await upload(other)).json().list]
    const chance = chanceOf(suiteSeed)
    const reasons = new Map<string, number>()
    for (let at = 0; at < 500; at++) {
      const answer = await upload(mutated(chance, one, other))
      const { data, list } = answer.json()
      const [{ code = '', named = '' } = {}, ...more] = data ?? []
      expect(more).toEqual([])
      const why = answer.statusCode === 200 ? 'taken' : `${answer.statusCode} ${code} ${named.split(' ')[0]}`
      reasons.set(why, (reasons.get(why) ?? 0) + 1)
      if (why === 'taken') expect(both).toContainEqual(list)
      else if (code !== 'REQUIRED') expect(why).toMatch(/^400 BAD_ARCHIVE /)
    }
    expect(the.server.logged()).not.toMatch(/"level":(50|60)/)
    // Most damage is seen as such; what tools do to a whole file is tried one by one above.
    expect(reasons.get('400 BAD_ARCHIVE notZip')).toBeGreaterThan(200)
  })

  test('whatever stands in a field of a list is taken or refused with one reason, and never fails (F-03)', async () => {
    const hostile = [
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
    const { list } = (await upload(await exported(the.lists[0]))).json()
    const places = (value: unknown, path: string[] = []): string[][] =>
      typeof value === 'object' && value !== null
        ? [path, ...Object.entries(value).flatMap(([name, one]) => places(one, [...path, name]))]
        : [path]
    const chance = chanceOf(suiteSeed)
    const seen = new Set<number>()
    for (let at = 0; at < 200; at++) {
      const changed = { list: structuredClone(list) }
      const path = ['list', ...pick(chance, places(list))]
      const holder = path.slice(0, -1).reduce<Record<string, unknown>>((from, name) => from[name] as never, changed)
      holder[path.at(-1) ?? ''] = pick(chance, hostile)
      const answer = await upload(await packed(JSON.stringify(changed.list)))
      const { data } = answer.json()
      if (answer.statusCode === 400)
        expect([path, data]).toEqual([path, [expect.objectContaining({ code: 'BAD_ARCHIVE' })]])
      else expect([200, 403]).toContain(answer.statusCode)
      seen.add(answer.statusCode)
    }
    expect(seen).toContain(400)
    expect(the.server.logged()).not.toMatch(/"level":(50|60)/)
  })
})
