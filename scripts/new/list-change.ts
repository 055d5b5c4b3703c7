/** The files of a list page of the provider's staff, in the order of docs/recipes.md. */
import { addJsonKey, insertAfter, insertBefore, type ProjectChange } from '#scripts/new/edit-project.ts'
import { buildContractFile, buildMigrationFile, buildPageFile, buildSourceFile } from '#scripts/new/list-files.ts'
import { buildPageTest, buildServerTest } from '#scripts/new/list-tests.ts'
import { capitalise, type NounNames } from '#scripts/new/names.ts'

const buildEnglishTexts = ({ text }: NounNames) => ({
  title: capitalise(text),
  lead: `All ${text}.`,
  counted: `{{number}} ${text}`,
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

const buildChineseTexts = ({ text }: NounNames) => ({
  title: `${text} 列表`,
  lead: `全部 ${text}。`,
  counted: `{{number}} 个 ${text}`,
  search: '按编码或名称搜索',
  refresh: '刷新',
  column: { code: '编码', name: '名称', updated: '更新时间' },
  empty: {
    notHere: `此设备上还没有 ${text}`,
    notHereText: '联网后会自动加载，之后可离线查看。',
    noneFound: `没有符合条件的 ${text}`,
    noneFoundText: '请换一个编码或名称。',
    showAll: `显示全部 ${text}`,
    none: `还没有 ${text}`,
    noneText: `新的 ${text} 会显示在这里。`,
  },
})

export function buildListChange(names: NounNames, migrationNumber: string): ProjectChange {
  const { file, plural, singular, pluralType, singularType, table, deviceTable, path } = names
  const listCall = `list${pluralType}`
  return {
    newFiles: {
      [`server/db/migrations/${migrationNumber}-${file}.ts`]: buildMigrationFile(names),
      [`src/contract/catalogue/${file}.ts`]: buildContractFile(names),
      [`server/db/catalogue/${file}.ts`]: buildSourceFile(names),
      [`src/features/${file}/${pluralType}Page.tsx`]: buildPageFile(names),
      [`tests/server/use-cases/catalogue/${file}.test.ts`]: buildServerTest(names),
      [`tests/features/${file}/${file}.test.tsx`]: buildPageTest(names),
    },
    edits: [
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
              "import * as withdrawnPrices from '#contract/catalogue/withdrawn-price-lists.ts'",
              `import * as ${plural} from '#contract/catalogue/${file}.ts'\n`,
            ),
            '  modules: listEndpoints(modules),\n',
            `  ${plural}: listEndpoints(${plural}),\n`,
          ),
      },
      {
        path: 'server/use-cases/catalogue/catalogue-lists.ts',
        edit(text) {
          const withImports = insertBefore(
            text,
            "import type { ListUseCase } from '#server/context/context.ts'",
            `import { toTimestamp } from '#domain/time.ts'
import { ${listCall} } from '#contract/catalogue/${file}.ts'
import { type ${singularType}Record, ${singular}Reads } from '#server/db/catalogue/${file}.ts'
import { createListUseCase } from '#server/use-cases/list-use-case.ts'
`,
          )
          return insertBefore(
            insertAfter(
              withImports,
              '  defineList(listAppHistory, appHistoryList),\n',
              `  defineList(${listCall}, ${singular}List),\n`,
            ),
            '/** The lists of the catalogue, by their calls. */',
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
      {
        path: 'src/local/storage/database.ts',
        edit: (text) =>
          insertAfter(
            insertAfter(text, "  'app_history',\n", `  '${deviceTable}',\n`),
            "  7: ['backups'],\n",
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
        edit: (text) => addJsonKey(text, plural, capitalise(names.text), 'menu'),
      },
      { path: 'src/locales/zh/shell.json', edit: (text) => addJsonKey(text, plural, `${names.text} 列表`, 'menu') },
      { path: 'src/locales/en/staff.json', edit: (text) => addJsonKey(text, plural, buildEnglishTexts(names)) },
      { path: 'src/locales/zh/staff.json', edit: (text) => addJsonKey(text, plural, buildChineseTexts(names)) },
      {
        path: 'tests/contract/specified.ts',
        edit: (text) => insertAfter(text, 'export const addedCalls = [\n', `  'GET /api/${path}',\n`),
      },
      {
        path: 'tests/contract/table.test.ts',
        edit: (text) => insertAfter(text, "        'price_lists',\n", `        '${deviceTable}',\n`),
      },
      { path: 'tests/app/routes/paths.test.ts', edit: (text) => addToRouteTest(text, names) },
    ],
  }
}

/** The next version of the device's database. */
function getNextVersion(text: string): number {
  const versions = [...text.matchAll(/version\((\d+)\)|^ {2}(\d+): \[/gm)].map(([, call, key]) => Number(call ?? key))
  return Math.max(...versions) + 1
}

function addToRouteTest(text: string, { plural, path }: NounNames): string {
  const withAccess = insertAfter(text, "  'newPrice',\n  'price',\n", `  '${plural}',\n`)
  const withMenu = withAccess.replace(
    /('hiddenModules',\s+'prices',?)/g,
    (menu) => `${menu.replace(/,$/, '')}, '${plural}',`,
  )
  const line = `        "/app/m18/${path}": "providerAdmin",`
  const lines = withMenu.split('\n')
  const before = lines.findIndex((other) => /^ {8}"\//.test(other) && other > line)
  return [...lines.slice(0, before), line, ...lines.slice(before)].join('\n')
}
