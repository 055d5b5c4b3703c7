/** Adds a field to the company profile, as docs/recipes.md describes. Used by `npm run campaign -- recipes` in a copy of the project. */
import { addJsonKey, insertAfter, insertBefore, type ProjectChange } from '#scripts/new/edit-project.ts'
import { buildLatestMigrationEdit } from '#scripts/new/migration-names.ts'

interface NewField {
  /** Name of the column, such as `fax_number`. */
  name: string
  label: { en: string; zh: string }
  maxLength: number
}

export function buildCompanyFieldChange({ name, label, maxLength }: NewField, migrationNumber: string): ProjectChange {
  const migration = `${migrationNumber}-company-${name.replaceAll('_', '-')}`
  return {
    newFiles: {
      [`server/db/migrations/${migration}.ts`]: `import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql\`alter table company add column ${name} text\`.execute(db)
}
`,
    },
    edits: [
      buildLatestMigrationEdit(migration),
      {
        path: 'server/db/tables/tables.ts',
        edit: (text) => insertAfter(text, '  tax_number: string | null\n', `  ${name}: string | null\n`),
      },
      {
        path: 'src/contract/accounts.ts',
        edit: (text) =>
          insertAfter(text, '  tax_number: z.nullable(text(40)),\n', `  ${name}: z.nullable(text(${maxLength})),\n`),
      },
      {
        path: 'src/domain/accounts/company-fields.ts',
        edit: (text) =>
          insertAfter(
            insertAfter(text, "export const profileFields = [...signupFields, 'tax_number'", `, '${name}'`),
            'checkIfPresent(checkTaxNumber)],\n',
            `  ${name}: [createMaxLengthCheck(${maxLength})],\n`,
          ),
      },
      {
        path: 'src/features/company/components/CompanyEdit.tsx',
        edit: (text) =>
          insertBefore(
            text,
            '        </FieldGroup>',
            `          <Field label={t('form.${name}')} autoComplete="off" maxLength={${maxLength}} {...form.getFieldProps('${name}')} />\n`,
          ),
      },
      ...(['en', 'zh'] as const).flatMap((language) => [
        {
          path: `src/locales/${language}/company.json`,
          edit: (text: string) => addJsonKey(text, name, label[language], 'form'),
        },
        {
          path: `src/locales/${language}/field-labels.json`,
          edit: (text: string) => addJsonKey(text, name, label[language]),
        },
      ]),
    ],
  }
}
