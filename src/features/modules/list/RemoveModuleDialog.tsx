import { getModuleRelations, type ModuleRow } from '#contract/modules.ts'
import type { Problem } from '#contract/problem.ts'
import { findDependents } from '#domain/catalogue/modules.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { formatDone, withDoneToast } from '#patterns/action-toast.ts'
import { useAction } from '#state/use-action.ts'
import { useServerResponse } from '#state/use-server-response.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { removeModule } from '#features/modules/slice.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'
import { joinList } from '#ui/i18n/messages.ts'

interface RemoveModuleDialogProps {
  row: OverlaidRow<ModuleRow>
  onClose: () => void
  onDone: () => void
}

/** Lists dependent modules, which prevent the deletion (contracts 4). Otherwise the user confirms by typing the code (M52). */
export function RemoveModuleDialog({ row: overlaidRow, onClose, onDone }: RemoveModuleDialogProps) {
  const { t } = useTranslation('modules')
  const doneText = formatDone(t('act.remove'))
  const { run, ...removal } = withDoneToast(useAction(removeModule), { doneText, onDone })
  const { row } = overlaidRow
  const dependents = useDependents(row)
  const confirmationText = row.code || row.name
  const pricedDates = readPricedDates(removal.problem)
  if (dependents === undefined || dependents.length > 0 || pricedDates)
    return (
      <Dialog open title={t('remove.title', { name: row.name })} onClose={onClose}>
        {dependents ? <DependentList dependents={dependents} /> : <Skeleton lines={2} />}
        {pricedDates && <p role="alert">{t('remove.priced', { dates: joinList(pricedDates) })}</p>}
      </Dialog>
    )
  return (
    <TypedConfirmation
      open
      title={t('remove.title', { name: row.name })}
      value={confirmationText}
      label={t(row.code ? 'form.code' : 'form.name')}
      actionLabel={t('remove.confirm')}
      {...removal}
      onConfirm={() => void run(row.id)}
      onClose={onClose}
    >
      <p>{t('remove.text', { name: row.name })}</p>
    </TypedConfirmation>
  )
}

function DependentList({ dependents }: { dependents: readonly Pick<ModuleRow, 'code' | 'name'>[] }) {
  const { t } = useTranslation('modules')
  if (dependents.length === 0) return null
  return (
    <>
      <p>{t('remove.needed', { count: dependents.length })}</p>
      <ul className="module-dependents">
        {dependents.map(({ code, name }) => (
          <li key={code}>
            {name} <code>{code}</code>
          </li>
        ))}
      </ul>
      <p>{t('remove.neededHelp')}</p>
    </>
  )
}

/** Reads the dependent modules from the server or, offline, from the cached catalogue. Undefined until one of them has been read. */
function useDependents({ code, type }: ModuleRow): Pick<ModuleRow, 'code' | 'name'>[] | undefined {
  const { modules } = useCatalogue()
  const response = useServerResponse(getModuleRelations, code === '' ? null : { query: { code, type } })
  if (code !== '' && !response) return undefined
  const dependents = response?.kind === 'fresh' ? response.output : modules && findDependents(modules, code)
  return dependents && [...dependents.hidden, ...dependents.visible]
}

function readPricedDates(problem: Problem | null): string[] | null {
  const data = problem?.data as { why?: unknown; effective_dates?: unknown } | null | undefined
  return data?.why === 'priced' && Array.isArray(data.effective_dates) ? data.effective_dates.map(String) : null
}
