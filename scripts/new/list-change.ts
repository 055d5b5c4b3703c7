/** Builds the files of a list page of the provider's staff, in the order of docs/recipes.md. */
import {
  addJsonKey,
  type FileEdit,
  insertAfter,
  insertBefore,
  insertLineOnce,
  type ProjectChange,
} from '#scripts/new/edit-project.ts'
import { buildContractFile, buildMigrationFile, buildPageFile, buildSourceFile } from '#scripts/new/list-files.ts'
import { buildPageTest, buildServerTest } from '#scripts/new/list-tests.ts'
import { buildLatestMigrationEdit } from '#scripts/new/migration-names.ts'
import { capitalise, type NounNames } from '#scripts/new/names.ts'

const buildEnglishTexts = ({ text, singularText }: NounNames) => ({
  title: capitalise(text),
  lead: `All ${text}.`,
  counted_one: `{{number}} ${singularText}`,
  counted_other: `{{number}} ${text}`,
  search: 'Search by code or name',
  refresh: 'Refresh',
  column: { code: 'Code', name: 'Name', updated: 'Updated' },
  empty: {
    notHere: `The ${text} are not on this device yet`,
    notHereText: "They load when you're online and then stay here.",
    noneFound: `No ${text} match this search`,
    noneFoundText: 'Try another code or name.',
    showAll: `Show all ${text}`,
    none: `No ${text} yet`,
    noneText: `New ${text} appear here.`,
  },
})

const buildChineseTexts = ({ chineseText }: NounNames) => ({
  title: chineseText,
  lead: `全部${chineseText}。`,
  counted_other: `{{number}} 个${chineseText}`,
  search: '按代码或名称搜索',
  refresh: '刷新',
  column: { code: '代码', name: '名称', updated: '更新时间' },
  empty: {
    notHere: `本设备上还没有${chineseText}`,
    notHereText: '联网后会自动加载，之后可离线查看。',
    noneFound: `没有符合搜索条件的${chineseText}`,
    noneFoundText: '请换一个代码或名称。',
    showAll: `显示全部${chineseText}`,
    none: `还没有${chineseText}`,
    noneText: `新的${chineseText}会显示在这里。`,
  },
})

export function buildListChange(names: NounNames, migrationNumber: string): ProjectChange {
  const { file, pluralType } = names
  const migration = `${migrationNumber}-${file}`
  return {
    newFiles: {
      [`server/db/migrations/${migration}.ts`]: buildMigrationFile(names),
      [`src/contract/catalogue/${file}.ts`]: buildContractFile(names),
      [`server/db/catalogue/${file}.ts`]: buildSourceFile(names),
      [`src/features/${file}/${pluralType}Page.tsx`]: buildPageFile(names),
      [`tests/server/use-cases/catalogue/${file}.test.ts`]: buildServerTest(names),
      [`tests/features/${file}/${file}.test.tsx`]: buildPageTest(names),
    },
    edits: [
      buildLatestMigrationEdit(migration),
      ...buildServerEdits(names),
      ...buildPageEdits(names),
      ...buildTestEdits(names),
    ],
  }
}

function buildServerEdits(names: NounNames): FileEdit[] {
  const { file, plural, singular, pluralType, singularType, table } = names
  const listCall = `list${pluralType}`
  return [
    {
      path: 'server/db/tables/tables.ts',
      edit: (text) =>
        insertBefore(
          insertAfter(text, '  job: JobTable\n', `  ${table}: ${singularType}Table\n`),
          'export interface DatabaseTables',
          `export interface ${singularType}Table {
  id: Generated<number>
  code: string
  code_key: string
  name: string
  name_key: string
  deleted: Generated<boolean>
  change: number
  row_version: Generated<number>
  create_time: ImmutableColumn<number>
  update_time: number
}

`,
        ),
    },
    {
      path: 'src/contract/index.ts',
      edit: (text) =>
        insertAfter(
          insertBefore(
            text,
            "import * as withdrawnPrices from '#contract/staff/withdrawn-price-lists.ts'",
            `import * as ${plural} from '#contract/catalogue/${file}.ts'\n`,
          ),
          '  modules: listEndpoints(modules),\n',
          `  ${plural}: listEndpoints(${plural}),\n`,
        ),
    },
    {
      path: 'server/use-cases/catalogue/catalogue-lists.ts',
      edit(text) {
        const withImports = [
          "import { toTimestamp } from '#domain/time.ts'",
          `import { ${listCall} } from '#contract/catalogue/${file}.ts'`,
          `import { type ${singularType}Record, ${singular}Reads } from '#server/db/catalogue/${file}.ts'`,
          "import { createListUseCase } from '#server/use-cases/list-use-case.ts'",
        ].reduce((partialText, line) => insertLineOnce(partialText, 'import type { ListUseCase } from', line), text)
        return insertBefore(
          insertAfter(
            withImports,
            '  defineList(listAppHistory, appHistoryList),\n',
            `  defineList(${listCall}, ${singular}List),\n`,
          ),
          'export const catalogueLists = [',
          `const ${singular}List = createListUseCase<typeof ${listCall}, null, ${singularType}Record>({
  reads: ${singular}Reads,
  runInScope: (_context, _input, read) => read(null),
  toRow: ({ app }, record) => ({
    id: record.id,
    code: record.code,
    name: record.name,
    update_time: toTimestamp(app.config.timeZone, record.update_time),
    row_version: record.row_version,
  }),
})

`,
        )
      },
    },
  ]
}

function buildPageEdits(names: NounNames): FileEdit[] {
  const { file, plural, pluralType, deviceTable, path, text: nounText, chineseText } = names
  return [
    {
      path: 'src/local/storage/database.ts',
      edit: (text) =>
        insertBefore(
          insertAfter(text, "  'app_history',\n", `  '${deviceTable}',\n`),
          '}\n\nconst tablesBeforeVersion5',
          `  ${getNextVersion(text)}: ['${deviceTable}'],\n`,
        ),
    },
    {
      path: 'src/app/routes/paths.ts',
      edit: (text) =>
        insertBefore(
          text,
          "  outbox: { path: '/app/outbox'",
          `  ${plural}: { path: '/app/m18/${path}', access: 'providerAdmin', menu: provider('price') },\n`,
        ),
    },
    {
      path: 'src/app/routes/page-modules.ts',
      edit: (text) =>
        insertBefore(
          text,
          '  outbox: {\n',
          `  ${plural}: {
    load: async () => (await import(/* chunk: staff list */ '#features/${file}/${pluralType}Page.tsx')).${pluralType}Page,
    namespaces: ['staff', 'problem'],
  },
`,
        ),
    },
    {
      path: 'src/locales/en/shell.json',
      edit: (text) => addJsonKey(text, plural, capitalise(nounText), 'menu'),
    },
    { path: 'src/locales/zh/shell.json', edit: (text) => addJsonKey(text, plural, chineseText, 'menu') },
    { path: 'src/locales/en/staff.json', edit: (text) => addJsonKey(text, plural, buildEnglishTexts(names)) },
    { path: 'src/locales/zh/staff.json', edit: (text) => addJsonKey(text, plural, buildChineseTexts(names)) },
  ]
}

function buildTestEdits(names: NounNames): FileEdit[] {
  const { table, deviceTable, path } = names
  return [
    {
      path: 'tests/server/db/isolation.test.ts',
      edit: (text) => insertAfter(text, "  'web_resource',\n", `  '${table}',\n`),
    },
    {
      path: 'tests/contract/specified.ts',
      edit: (text) => insertAfter(text, 'export const addedCalls = [\n', `  'GET /api/${path}',\n`),
    },
    {
      path: 'tests/contract/table.test.ts',
      edit: (text) => insertAfter(text, "        'price_lists',\n", `        '${deviceTable}',\n`),
    },
    { path: 'tests/app/routes/paths.test.ts', edit: (text) => addToRouteTest(text, names) },
  ]
}

function getNextVersion(text: string): number {
  const versions = [...text.matchAll(/version\((\d+)\)|^ {2}(\d+): \[/gm)].map(([, call, key]) => Number(call ?? key))
  return Math.max(...versions) + 1
}

function addToRouteTest(text: string, { plural, path }: NounNames): string {
  const withAccess = insertAfter(text, "  'newPrice',\n  'price',\n", `  '${plural}',\n`)
  return addToSnapshot(addToMenus(withAccess, plural), `        "/app/m18/${path}": "providerAdmin",`)
}

/** Pages in a menu have the order of the route table, so the new page comes last in the provider's menu. */
function addToMenus(text: string, plural: string): string {
  const providerMenu = /('hiddenModules',\s+'prices'[^\]]*?),?(\s*\])/g
  const menuCount = text.match(providerMenu)?.length ?? 0
  if (menuCount !== 2) throw new Error(`${menuCount} menus of the provider were found instead of 2`)
  return text.replace(providerMenu, `$1, '${plural}'$2`)
}

/** Inserts into the snapshot, whose keys are sorted alphabetically. */
function addToSnapshot(text: string, line: string): string {
  const lines = text.split('\n')
  const index = lines.findIndex((other) => /^ {8}"\//.test(other) && other > line)
  if (index < 0) throw new Error('the snapshot of all pages was not found')
  return lines.toSpliced(index, 0, line).join('\n')
}
