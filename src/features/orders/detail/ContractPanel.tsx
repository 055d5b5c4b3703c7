import { Suspense, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import type { PlainDate } from '#domain/time.ts'
import { Skeleton, SkeletonCard } from '#ui/page/Skeleton.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { ContractEditor, type ContractEditorProps } from '#features/orders/change/ContractEditor.tsx'
import type { LoadedOrder, useContractHistory, useOrderPrices } from '#features/orders/change/useOrder.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { ContractHistory } from '#features/orders/detail/ContractHistory.tsx'
import { ContractNotices } from '#features/orders/detail/ContractNotices.tsx'
import { ContractTerms } from '#features/orders/detail/ContractTerms.tsx'
import { isCurrentContract } from '#features/orders/detail/current-contract.ts'
import type { ContractParts } from '#features/orders/detail/service-part.ts'
import { UndoNotice } from '#features/orders/detail/UndoNotice.tsx'
import type { ContractDialog } from '#features/orders/dialogs/Dialogs.tsx'
import { findPayableOrder } from '#features/orders/payment/payable.ts'
import { PaymentResult } from '#features/orders/payment/PaymentResult.tsx'
import { getModuleNames } from '#features/orders/module-names.ts'

interface Props extends Pick<ContractParts, 'ServicePart' | 'ActivityPart'> {
  order: LoadedOrder
  prices: ReturnType<typeof useOrderPrices>
  history: ReturnType<typeof useContractHistory>
  /** Null if there is no contract or it is not loaded. */
  contract: ContractRow | null
  /** Null if not all data is loaded. */
  editorProps: ContractEditorProps | null
  isEditing: boolean
  onOpen: (dialog: ContractDialog) => void
  onUndone: (restoredOrder: OrderRow) => void
  /** Called when the displayed data is out of date. */
  onChanged: () => void
}

export function ContractPanel(props: Props) {
  const { order, prices, history, editorProps, isEditing, onOpen, onUndone, onChanged } = props
  const { row } = order.overlaidRow
  const { timeZone, modules } = prices
  const businessDay = useToday(timeZone)
  const today = timeZone === null ? null : businessDay
  return (
    <>
      <PaymentResult
        order={{ ...(findPayableOrder(row) ?? row), client_type: row.client_type }}
        paidOrder={row.contract_id > 0 ? row : null}
        onSettled={onChanged}
      />
      <ContractNotices {...{ row, timeZone, isEditing, onOpen }} asOf={order.asOf} />
      {!isEditing && timeZone !== null && (
        <UndoNotice
          {...{ row, timeZone, onUndone }}
          contracts={history.rows}
          namesByCode={getModuleNames(modules)}
          onRefused={onChanged}
        />
      )}
      {isEditing && (editorProps ? <ContractEditor {...editorProps} /> : <Skeleton lines={6} />)}
      <TermsAndHistory {...props} today={today} />
    </>
  )
}

/**
 * The terms have more lines when the contract is known. They appear then, so that nothing moves. Later requests do not hide them, because
 * the focus may be in them.
 */
function TermsAndHistory(props: Props & { today: PlainDate | null }) {
  const { order, prices, history, contract, isEditing, today } = props
  const { row } = order.overlaidRow
  const { priceData, modules } = prices
  const isUnknown = row.contract_id > 0 && history.rows === null && history.problem === null
  const [hasAnswer, setHasAnswer] = useState(!isUnknown)
  if (!hasAnswer && !isUnknown) setHasAnswer(true)
  const isLoading = !hasAnswer
  const layoutClass = isEditing ? 'page-main' : 'page-columns'
  return (
    <>
      {isLoading && <SkeletonCard lines={10} />}
      <div className={isLoading ? `${layoutClass} order-loading` : layoutClass}>
        <ContractTerms {...{ row, contract, priceData, modules, today, isEditing }} history={history.rows} />
        {!isEditing && <ServiceAndActivity {...props} />}
        {!isEditing && row.contract_id > 0 && (
          <ContractHistory {...history} onRetry={() => void history.refetch()} currentId={row.contract_id} />
        )}
      </div>
    </>
  )
}

function ServiceAndActivity({
  order,
  ServicePart,
  ActivityPart,
}: Pick<Props, 'order' | 'ServicePart' | 'ActivityPart'>) {
  const { row } = order.overlaidRow
  if (isCurrentContract(row))
    return (
      <Suspense
        fallback={
          <div className="page-aside">
            <SkeletonCard />
          </div>
        }
      >
        <ServicePart order={row} onChanged={() => void order.refetch()} />
      </Suspense>
    )
  return (
    <div className="page-aside">
      <ActivityPart row={row} />
    </div>
  )
}
