import '#features/modules/translations.ts'
import { useParams } from 'react-router-dom'
import type { RowRef } from '#contract/endpoint.ts'
import { type ModuleRow, moduleListSpec } from '#contract/modules.ts'
import { useInitialRow } from '#patterns/edit-form/useInitialRow.ts'
import { parseRowRef } from '#state/view-fields.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyCard } from '#ui/list/EmptyCard.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { ModuleForm } from '#features/modules/form/ModuleForm.tsx'
import { type ModuleKind, toModulePath } from '#features/modules/module-path.ts'
import { fetchModule } from '#features/modules/slice.ts'

export const ModulePage = () => <ModuleByAddress kind="visible" />
export const HiddenModulePage = () => <ModuleByAddress kind="hidden" />

/** Shows one module, or the form for a new one (M136 to M139). */
function ModuleByAddress({ kind }: { kind: ModuleKind }) {
  const { id } = useParams()
  if (id === undefined) return <ModuleForm key={kind} kind={kind} initialRow={null} />
  const moduleId = parseRowRef(id)
  return moduleId === null ? (
    <MissingModule kind={kind} reason="unknown" />
  ) : (
    <ExistingModule key={id} kind={kind} id={moduleId} />
  )
}

function ExistingModule({ kind, id }: { kind: ModuleKind; id: RowRef }) {
  const { t } = useTranslation('modules')
  const { initialRow, missingReason, retry } = useInitialRow<ModuleRow>({
    table: moduleListSpec.table,
    id,
    fetch: fetchModule,
  })
  if (initialRow) return <ModuleForm kind={initialRow.row.hidden ? 'hidden' : 'visible'} initialRow={initialRow} />
  if (missingReason === null)
    return (
      <Page title={t('form.loading')} width="narrow">
        <Skeleton />
      </Page>
    )
  if (typeof missingReason === 'string') return <MissingModule kind={kind} reason={missingReason} />
  return (
    <Page title={t('missing.title')} crumbs={[{ label: t(`title.${kind}`), to: toModulePath(kind) }]} width="narrow">
      <LoadProblem problem={missingReason} title={t('missing.failed')} onRetry={retry} />
    </Page>
  )
}

function MissingModule({ kind, reason }: { kind: ModuleKind; reason: 'unknown' | 'notHere' }) {
  const { t } = useTranslation('modules')
  return (
    <Page title={t('missing.title')} crumbs={[{ label: t(`title.${kind}`), to: toModulePath(kind) }]} width="narrow">
      <EmptyCard
        icon={reason === 'unknown' ? 'module' : 'offline'}
        title={t(`missing.${reason}`)}
        action={<ButtonLink to={toModulePath(kind)}>{t('missing.back')}</ButtonLink>}
      >
        {t(`missing.${reason}Text`)}
      </EmptyCard>
    </Page>
  )
}
