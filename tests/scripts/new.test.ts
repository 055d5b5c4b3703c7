import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addList } from '#scripts/new/add-list.ts'
import { addJsonKey, insertAfter } from '#scripts/new/edit-project.ts'
import { formatFiles } from '#scripts/new/format-files.ts'
import { buildListChange } from '#scripts/new/list-change.ts'
import { getNextMigrationNumber } from '#scripts/new/migration-names.ts'
import { toNounNames } from '#scripts/new/names.ts'
import { listMigrationNames } from '#server/db/migrations/index.ts'

const root = join(import.meta.dirname, '..', '..')
// The portal has neither noun, even after somebody has followed docs/recipes.md.
const tickets = { plural: 'sample-vouchers', chinese: '样品券' }
const boxes = { plural: 'sample-boxes', singular: 'sample-box', chinese: '样品箱' }
const editedPaths = [...new Set(buildListChange(toNounNames(tickets), '050').edits.map(({ path }) => path))]
const neededPaths = ['.gitignore', 'biome.json', 'server/db/migrations', 'server/db/tables', 'src/contract']

/** Folder with a copy of the files that the generator reads and edits. */
let folder: string
function createProject(): void {
  folder = mkdtempSync(join(tmpdir(), 'new-list-'))
  for (const path of [...neededPaths, ...editedPaths]) cpSync(join(root, path), join(folder, path), { recursive: true })
}
const deleteProject = () => rmSync(folder, { recursive: true, force: true })

const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const readEditedFiles = () => Object.fromEntries(editedPaths.map((path) => [path, read(path)]))
const countMatches = (path: string, text: string) => read(path).split(text).length - 1

/** Returns the names of imported values, with duplicates. */
const listImportedNames = (path: string) =>
  parseSync(path, read(path)).module.staticImports.flatMap(({ entries }) =>
    entries.map(({ localName }) => localName.value),
  )

describe('addList', () => {
  beforeEach(createProject)
  afterEach(deleteProject)

  it('adds a second list without duplicate imports', () => {
    const paths = [...addList(folder, tickets), ...addList(folder, boxes)]
    for (const path of paths.filter((each) => /\.tsx?$/.test(each))) {
      expect([path, parseSync(path, read(path), { showSemanticErrors: true } as object).errors]).toEqual([path, []])
      const importedNames = listImportedNames(path)
      expect([path, importedNames]).toEqual([path, [...new Set(importedNames)]])
    }
    const names = [toNounNames(tickets), toNounNames(boxes)]
    for (const { plural, singularType, table, deviceTable, path } of names) {
      expect(countMatches('src/app/routes/paths.ts', `  ${plural}: {`)).toBe(1)
      expect(countMatches('src/app/routes/page-modules.ts', `  ${plural}: {`)).toBe(1)
      expect(countMatches('src/contract/index.ts', `  ${plural}: listEndpoints(${plural}),`)).toBe(1)
      expect(countMatches('server/db/tables/tables.ts', `  ${table}: ${singularType}Table\n`)).toBe(1)
      expect(countMatches('src/local/storage/database.ts', `  '${deviceTable}',\n`)).toBe(1)
      expect(countMatches('tests/server/db/isolation.test.ts', `  '${table}',\n`)).toBe(1)
      expect(countMatches('tests/app/routes/paths.test.ts', `"/app/m18/${path}": "providerAdmin"`)).toBe(1)
    }
    const menus = read('tests/app/routes/paths.test.ts').match(
      /'prices',[^\]]*'sampleVouchers',\s*'sampleBoxes',?\s*\]/g,
    )
    expect(menus?.length).toBe(2)
  })

  it('uses the next device version and the next migration, and names it as the latest', () => {
    const number = getNextMigrationNumber(folder)
    addList(folder, tickets)
    const listVersions = () =>
      [...read('src/local/storage/database.ts').matchAll(/^ {2}(\d+): \['(\w+)'\]/gm)].map(
        ([, version, table]) => [Number(version), table] as const,
      )
    const [version = 0] = listVersions().at(-1) ?? []
    addList(folder, boxes)
    expect(listVersions().slice(-2)).toEqual([
      [version, 'sample_vouchers'],
      [version + 1, 'sample_boxes'],
    ])
    const lastName = /latestMigration = '(.*)'/.exec(read('server/db/tables/tables.ts'))?.[1] ?? ''
    expect(lastName).toBe(`${String(Number(number) + 1).padStart(3, '0')}-sample-boxes`)
    expect(listMigrationNames(join(folder, 'server/db/migrations'), lastName).slice(-2)).toEqual([
      `${number}-sample-vouchers`,
      lastName,
    ])
  })

  it('adds its texts in both languages', () => {
    addList(folder, boxes)
    const readTexts = (language: string) => [
      JSON.parse(read(`src/locales/${language}/shell.json`)).menu.sampleBoxes,
      JSON.parse(read(`src/locales/${language}/staff.json`)).sampleBoxes,
    ]
    expect(readTexts('en')).toMatchObject([
      'Sample boxes',
      { title: 'Sample boxes', counted_one: '{{number}} sample box', counted_other: '{{number}} sample boxes' },
    ])
    expect(readTexts('zh')).toMatchObject(['样品箱', { title: '样品箱', counted_other: '{{number}} 个样品箱' }])
    expect(JSON.stringify(readTexts('zh')[1])).not.toMatch(/"counted"|boxes/)
  })
})

describe('addList, before it writes', () => {
  beforeAll(() => {
    createProject()
    addList(folder, tickets)
  })
  afterAll(deleteProject)

  const expectRefusal = (noun: Parameters<typeof addList>[1], message: string | RegExp) => {
    const filesBefore = readEditedFiles()
    expect(() => addList(folder, noun)).toThrow(message)
    expect(readEditedFiles()).toEqual(filesBefore)
  }

  it.each([
    ['users', 'user', 'the page users'],
    ['orders', 'order', 'the calls orders'],
    ['companies', 'company', 'the call listCompanies'],
    ['portal-users', 'portal-user', 'the table portal_user'],
    ['app-histories', 'app-history', 'the address /api/apphistory'],
    ['backup-reminders', 'backup-reminder', 'the table backup_reminder'],
    ['pages', 'page', 'the table pages on the device'],
    ['uploads', 'upload', 'the address /app/m18/upload'],
    ['endpoints', 'endpoint', 'the calls endpoints'],
    ['mfa-tokens', 'mfa-token', 'the type MfaTokenTable'],
  ])('refuses %s, which the project already has', (plural, singular, takenName) => {
    expectRefusal({ plural, singular, chinese: '名词' }, `The project already has ${takenName}.`)
  })

  it('refuses a list that was already added, and mentions git', () => {
    expectRefusal(tickets, /already has the page sampleVouchers.*undo that with git first/)
  })

  it('refuses to overwrite a file, and mentions git', () => {
    writeFileSync(join(folder, 'src/contract/catalogue/sample-boxes.ts'), '')
    expectRefusal(boxes, /sample-boxes\.ts already exists\. .*undo the earlier change with git/)
  })

  it('refuses a plural whose singular is not certain', () => {
    for (const plural of ['boxes', 'addresses', 'series', 'statuses', 'companies', 'prices', 'caches'])
      expectRefusal({ plural, chinese: '名词' }, `The singular of "${plural}" is not clear`)
    for (const plural of ['news', 'status', 'people', 'topics', 'lens'])
      expectRefusal({ plural, chinese: '名词' }, `The singular of "${plural}" is not clear`)
  })

  it('refuses reserved words of JavaScript, long names, and other characters than a to z and hyphens', () => {
    expectRefusal({ plural: 'arguments', chinese: '参数' }, '"arguments" is a reserved word of JavaScript')
    expectRefusal({ plural: 'class', singular: 'class', chinese: '类' }, '"class" is a reserved word of JavaScript')
    expectRefusal({ plural: `${'long-'.repeat(8)}names`, chinese: '名词' }, 'longer than 40 letters')
    for (const plural of ['Vouchers', 'gift_cards', 'gift--cards', '-cards', 'cards2', ''])
      expectRefusal({ plural, singular: 'card', chinese: '名词' }, 'is not a name for a list')
  })

  it('refuses a text that is not a Chinese noun', () => {
    for (const chinese of ['', 'vouchers', '优惠券。', '{{count}} 券', "券'"])
      expectRefusal({ ...boxes, chinese }, 'is not a Chinese noun')
  })

  it('refuses a command without a Chinese noun', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/new.ts', 'list', 'sample-vouchers'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Usage: npm run new -- list/)])
  })
})

describe('toNounNames', () => {
  it('derives the singular if it is certain, and uses the given singular otherwise', () => {
    const getSingular = (plural: string, singular?: string) =>
      toNounNames({ plural, singular, chinese: '名词' }).singular
    for (const [plural, singular] of [
      ['vouchers', 'voucher'],
      ['gift-cards', 'giftCard'],
      ['invoices-sent-keys', 'invoicesSentKey'],
      ['files', 'file'],
      ['packages', 'package'],
      ['templates', 'template'],
      ['values', 'value'],
      ['employees', 'employee'],
      ['spaces', 'space'],
    ] as const)
      expect(getSingular(plural)).toBe(singular)
    expect(getSingular('series', 'series')).toBe('series')
    expect(getSingular('people', 'person')).toBe('person')
  })

  it('quotes reserved words of SQL and avoids reserved words of JavaScript', () => {
    const buildFiles = (plural: string) =>
      Object.entries(buildListChange(toNounNames({ plural, chinese: '名词' }), '050').newFiles)
    const groupTexts = buildFiles('groups').map(([, text]) => text)
    expect(groupTexts.join('\n')).not.toMatch(/(table|on) group\b|`group\./)
    for (const [path, text] of buildFiles('packages'))
      expect([path, parseSync(path, text, { showSemanticErrors: true } as object).errors]).toEqual([path, []])
  })
})

describe('edits of the project', () => {
  beforeAll(createProject)
  afterAll(deleteProject)

  it('throw if the text that they need is not found', () => {
    expect(() => insertAfter('a', 'b', 'c')).toThrow('"b" was not found')
    expect(() => addJsonKey('{}', 'a', 1, 'menu')).toThrow('"menu" was not found')
    for (const { path, edit } of buildListChange(toNounNames(tickets), '050').edits.filter(
      (each) => !each.path.endsWith('staff.json'),
    ))
      expect(() => edit('{}'), path).toThrow('found')
  })

  it('throw if the key exists', () => {
    expect(() => addJsonKey('{"users": "Users"}', 'users', 'Others')).toThrow('"users" already exists')
    expect(() => addJsonKey('{"menu": {"users": "Users"}}', 'users', 'Others', 'menu')).toThrow(
      '"users" already exists',
    )
  })

  it('throw if the route test lacks a menu or its snapshot', () => {
    const text = read('tests/app/routes/paths.test.ts')
    const edit = buildListChange(toNounNames(tickets), '050').edits.find(({ path }) =>
      path.endsWith('paths.test.ts'),
    )?.edit
    expect(() => edit?.(text.replace(/'hiddenModules',\s+'prices'/, "'prices', 'hiddenModules'"))).toThrow('1 menus')
    expect(() => edit?.(text.replaceAll('        "/', '"/'))).toThrow('snapshot')
  })

  it('throw if the result cannot be formatted', () => {
    writeFileSync(join(folder, 'broken.ts'), 'const = {')
    expect(() => formatFiles(folder, ['broken.ts'])).toThrow(/could not be formatted:[^]*broken\.ts/)
  })
})
