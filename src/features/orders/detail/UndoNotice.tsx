import type { OrderRow } from '#contract/orders.ts'
import type { ContractTerms } from '#domain/fees/annual.ts'
import { getDiscardedAmount } from '#domain/fees/discarded-amount.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Notice } from '#ui/display/Notice.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { getChoiceDifference } from '#features/orders/change/change-diff.ts'
import { ModuleChanges } from '#features/orders/change/ModuleChanges.tsx'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { ContractAppChanges } from '#features/orders/draft/ContractAppChanges.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { useUndoChange } from '#features/orders/detail/useUndoChange.ts'

interface Props {
  row: OrderRow
  timeZone: string
  /** The contract and those that it replaced, newest first. Null if they are not loaded yet. */
  contracts: readonly ContractRow[] | null
  namesByCode: ReadonlyMap<string, string>
  onUndone: (restoredOrder: OrderRow) => void
  onRefused: () => void
}

/** Returns whether the change can be undone: only on its day, in the business time zone. Rows of an earlier build lack `undo_until`. */
const canUndo = ({ undo_until: undoUntil, pending, state }: OrderRow, today: PlainDate): boolean =>
  undoUntil?.slice(0, 10) === today && pending === null && state === 'effective'

function formatDiscarded({ currency, contract_amount, residual_amount }: OrderRow): string {
  const amounts = {
    contract_amount: readAmount(contract_amount ?? '0.00'),
    residual_amount: readAmount(residual_amount ?? '0.00'),
  }
  return formatAmount(currency, writeAmount(getDiscardedAmount(amounts)))
}

/** Shows a change of today that discarded money, with an undo button. Renders nothing if the change cannot be undone. */
export function UndoNotice({ row, timeZone, contracts, namesByCode, onUndone, onRefused }: Props) {
  const { t } = useTranslation('contract')
  const offlineReason = useOfflineReason(t('needsLine'))
  const today = useToday(timeZone)
  const { isBusy, problem, refusal, question, undo, agree, decline } = useUndoChange(row.contract_id, {
    onUndone: (restoredOrder) => {
      showToast({ kind: 'done', text: t('undo.done') })
      onUndone(restoredOrder)
    },
    onRefused,
  })
  const isOpen = canUndo(row, today)
  if (!isOpen && !problem) return null
  const undoButton = (
    <Button isBusy={isBusy} disabledReason={offlineReason} onClick={undo}>
      {t('undo.act')}
    </Button>
  )
  return (
    <>
      <Notice look="order-note" tone="warning" icon="info" actions={isOpen && undoButton}>
        {isOpen && (
          <>
            <ChangeSummary {...{ row, contracts, namesByCode }} />
            <p>{t(row.credited ? 'discard.credited' : 'discard.text', { amount: formatDiscarded(row) })}</p>
          </>
        )}
        <ProblemNote problem={refusal ? null : problem} title={t('undo.failed')} shouldFocus />
        {refusal && <p role="alert">{t(`undo.why.${refusal}`)}</p>}
      </Notice>
      {question && (
        <ActionDialog
          title={t('consent.appsTitle')}
          actionLabel={t('undo.act')}
          cancel={t('consent.back')}
          onAction={agree}
          onClose={decline}
          shouldFocusCancel
        >
          <p>{t('undo.appsText')}</p>
          <ContractAppChanges appChanges={question.appChanges} />
        </ActionDialog>
      )}
    </>
  )
}

function findPreviousContract({ contract_id: contractId }: OrderRow, contracts: Props['contracts']) {
  const index = contracts?.findIndex(({ id }) => id === contractId) ?? -1
  return index < 0 ? undefined : contracts?.[index + 1]
}

/** Shows `Changed today from 40 to 10 users. Undo until 23:59.`, followed by the other changes. */
function ChangeSummary({ row, contracts, namesByCode }: Pick<Props, 'row' | 'contracts' | 'namesByCode'>) {
  const { t } = useTranslation('contract')
  const { t: tWizard } = useTranslation('wizard')
  const time = row.undo_until?.slice(11, 16) ?? ''
  const previousContract = findPreviousContract(row, contracts)
  if (!previousContract) return <p>{t('undo.changed', { time })}</p>
  const difference = getChoiceDifference(previousContract, row)
  const formatMode = ({ user_mode }: ContractTerms) => tWizard(`mode.${user_mode}`)
  const formatUat = ({ uat }: ContractTerms) => t(uat === 1 ? 'uat.yes' : 'uat.no')
  return (
    <>
      <p>
        {difference.users
          ? t('undo.users', { from: formatNumber(previousContract.users), to: formatNumber(row.users), time })
          : t('undo.changed', { time })}
      </p>
      {difference.user_mode && <p>{t('undo.mode', { from: formatMode(previousContract), to: formatMode(row) })}</p>}
      {difference.uat && <p>{t('undo.uat', { from: formatUat(previousContract), to: formatUat(row) })}</p>}
      <ModuleChanges {...{ difference, namesByCode }} />
    </>
  )
}
