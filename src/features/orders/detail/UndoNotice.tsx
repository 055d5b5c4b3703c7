import type { OrderRow } from '#contract/orders.ts'
import { getDiscardedAmount } from '#domain/fees/discarded-amount.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { useConnection } from '#state/use-store.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { getChoiceDifference } from '#features/orders/change/change-diff.ts'
import { ContractAppChanges } from '#features/orders/draft/ContractAppChanges.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { useUndoChange } from '#features/orders/detail/useUndoChange.ts'

interface Props {
  row: OrderRow
  /** The business time zone. */
  timeZone: string
  /** The contract and those that it replaced, newest first; null: not here yet. */
  contracts: readonly ContractRow[] | null
  /** Names of modules, by code. */
  namesByCode: ReadonlyMap<string, string>
  onUndone: (restoredOrder: OrderRow) => void
  onRefused: () => void
}

/** A change of today that discarded money, and how to undo it; nothing where it cannot be undone any more. */
export function UndoNotice({ row, timeZone, contracts, namesByCode, onUndone, onRefused }: Props) {
  const { t } = useTranslation('contract')
  const { networkState: connection } = useConnection()
  const today = useToday(timeZone)
  const { isBusy, problem, refusal, question, undo, agree, decline } = useUndoChange(row.contract_id, {
    onUndone: (restoredOrder) => {
      showToast({ kind: 'done', text: t('undo.done') })
      onUndone(restoredOrder)
    },
    onRefused,
  })
  // A row that an earlier build stored has no such field.
  const undoUntil = row.undo_until ?? null
  const isOpen =
    undoUntil !== null && undoUntil.slice(0, 10) === today && row.pending === null && row.state === 'effective'
  if (!isOpen && !problem) return null
  const amounts = {
    contract_amount: readAmount(row.contract_amount ?? '0.00'),
    residual_amount: readAmount(row.residual_amount ?? '0.00'),
  }
  const discardedText = formatAmount(row.currency, writeAmount(getDiscardedAmount(amounts)))
  return (
    <div className="order-note warning" role="status">
      <Icon name="info" />
      <div>
        {isOpen && (
          <>
            <ChangeSummary {...{ row, contracts, namesByCode, undoUntil }} />
            <p>{t('discard.text', { amount: discardedText })}</p>
          </>
        )}
        <ProblemNote problem={refusal ? null : problem} title={t('undo.failed')} shouldFocus />
        {refusal && <p role="alert">{t(`undo.why.${refusal}`)}</p>}
      </div>
      {isOpen && (
        <div className="order-note-acts">
          <Button isBusy={isBusy} disabledReason={connection === 'online' ? null : t('needsLine')} onClick={undo}>
            {t('undo.act')}
          </Button>
        </div>
      )}
      {question && (
        <Dialog
          open
          title={t('consent.appsTitle')}
          onClose={decline}
          action={
            <Button kind="primary" onClick={agree}>
              {t('undo.act')}
            </Button>
          }
          cancel={t('consent.back')}
          shouldFocusCancel
        >
          <div className="form">
            <p>{t('undo.appsText')}</p>
            <ContractAppChanges appChanges={question.appChanges} />
          </div>
        </Dialog>
      )}
    </div>
  )
}

/** `Changed today from 40 to 10 users. Undo until 23:59.`, then what else changed. */
function ChangeSummary({
  row,
  contracts,
  namesByCode,
  undoUntil,
}: Pick<Props, 'row' | 'contracts' | 'namesByCode'> & { undoUntil: string }) {
  const { t } = useTranslation('contract')
  const { t: tWizard } = useTranslation('wizard')
  const time = undoUntil.slice(11, 16)
  const index = contracts?.findIndex(({ id }) => id === row.contract_id) ?? -1
  const previousContract = index < 0 ? undefined : contracts?.[index + 1]
  if (!previousContract) return <p>{t('undo.changed', { time })}</p>
  const { users, user_mode, uat, addedModules, removedModules } = getChoiceDifference(previousContract, row)
  const formatNames = (codes: readonly string[]) => codes.map((code) => namesByCode.get(code) ?? code).join(', ')
  return (
    <>
      <p>
        {users
          ? t('undo.users', { from: formatNumber(previousContract.users), to: formatNumber(row.users), time })
          : t('undo.changed', { time })}
      </p>
      {user_mode && (
        <p>
          {t('undo.mode', {
            from: tWizard(`mode.${previousContract.user_mode}`),
            to: tWizard(`mode.${row.user_mode}`),
          })}
        </p>
      )}
      {uat && <p>{t('undo.uat', { from: t(getUatKey(previousContract.uat)), to: t(getUatKey(row.uat)) })}</p>}
      {addedModules.length > 0 && <p>{t('added', { names: formatNames(addedModules) })}</p>}
      {removedModules.length > 0 && <p>{t('removed', { names: formatNames(removedModules) })}</p>}
    </>
  )
}

const getUatKey = (uat: 0 | 1) => (uat === 1 ? ('uat.yes' as const) : ('uat.no' as const))
