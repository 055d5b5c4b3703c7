import { useNavigate } from 'react-router-dom'
import type { ModuleRow } from '#contract/modules.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { EditFormNotes } from '#patterns/edit-form/EditFormNotes.tsx'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { MacBanner } from '#ui/page/MacBanner.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { AppsField } from '#features/modules/form/AppsField.tsx'
import { JoinedContracts } from '#features/modules/form/JoinedContracts.tsx'
import { type ModuleField, moduleFields } from '#features/modules/form/module-form.ts'
import { ModulesField } from '#features/modules/form/ModulesField.tsx'
import { useModuleForm } from '#features/modules/form/useModuleForm.ts'
import { ModuleStyles } from '#features/modules/ModuleStyles.tsx'
import { type ModuleKind, toModulePath } from '#features/modules/module-path.ts'
import { joinList } from '#ui/i18n/messages.ts'

interface ModuleFormProps {
  kind: ModuleKind
  initialRow: OverlaidRow<ModuleRow> | null
}

export function ModuleForm({ kind, initialRow }: ModuleFormProps) {
  const { t } = useTranslation('modules')
  const navigate = useNavigate()
  const { form, type, otherModules, apps, isLoading, codeProps } = useModuleForm(kind, initialRow)
  const { row, values } = form
  const isHidden = kind === 'hidden'
  const formatField = (field: ModuleField, currentRow: ModuleRow) => ({
    label: t(`form.${field}`),
    value: formatFieldValue(currentRow[field]),
  })
  function formatFieldValue(value: ModuleRow[ModuleField]): string {
    if (typeof value === 'boolean') return t(value ? 'form.anyYes' : 'form.anyNo')
    if (typeof value === 'string') return value
    return joinList(value.map((item) => (typeof item === 'string' ? item : item.code)))
  }
  return (
    <Page
      title={row ? t('form.edit', { name: row.row.name }) : t(`create.${kind}`)}
      crumbs={[{ label: t(`title.${kind}`), to: toModulePath(kind) }]}
      intro={t(`form.lead.${kind}`)}
      width="narrow"
    >
      <ModuleStyles />
      <MacBanner />
      <PageForm {...form.formProps} onCancel={() => void navigate(toModulePath(kind))}>
        <EditFormNotes form={form} conflictTitle={t('form.conflict')} fields={moduleFields} formatField={formatField} />
        {row ? (
          <Field label={t('form.code')} value={values.code || t('codeLater')} lockReason={t('form.codeLocked')} />
        ) : (
          <Field
            size="code"
            label={t('form.code')}
            optional={isHidden}
            help={t(isHidden ? 'form.codeHelpHidden' : 'form.codeHelp')}
            maxLength={60}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...codeProps}
          />
        )}
        <Field label={t('form.name')} maxLength={100} autoComplete="off" {...form.getFieldProps('name')} />
        {isLoading ? (
          <div className="fields-space">
            <Skeleton lines={8} />
          </div>
        ) : (
          <CatalogueFields {...{ kind, form, type, otherModules, apps }} />
        )}
      </PageForm>
    </Page>
  )
}

type CatalogueFieldsProps = Pick<ModuleFormProps, 'kind'> &
  Pick<ReturnType<typeof useModuleForm>, 'form' | 'type' | 'otherModules' | 'apps'>

/** The fields whose choices are modules and apps. They appear when both are known, so that nothing moves. */
function CatalogueFields({ kind, form, type, otherModules, apps }: CatalogueFieldsProps) {
  const { t } = useTranslation('modules')
  const { values } = form
  const isHidden = kind === 'hidden'
  return (
    <>
      {isHidden && (
        <>
          <ModulesField
            name="conditions"
            modules={otherModules.filter(({ hidden }) => !hidden)}
            {...form.getValueProps('conditions')}
          />
          <RadioField
            label={t('form.any')}
            options={[
              { value: 'all', label: t('form.anyNo') },
              { value: 'any', label: t('form.anyYes') },
            ]}
            {...form.getRadioProps('any_condition')}
          />
          <JoinedContracts type={type} conditions={values.conditions} isAnyCondition={values.any_condition === 'any'} />
        </>
      )}
      <ModulesField name="dependencies" modules={otherModules} {...form.getValueProps('dependencies')} />
      <AppsField apps={apps} isOptional={!isHidden} {...form.getValueProps('apps')} />
    </>
  )
}
