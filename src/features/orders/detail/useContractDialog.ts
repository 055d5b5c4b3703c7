import { useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { type ContractRefusal, getContractRefusal } from '#domain/contracts.ts'
import { useHistoryStep } from '#patterns/useHistoryStep.ts'
import type { ContractDialog } from '#features/orders/dialogs/Dialogs.tsx'
import { findNamedDue, toDialogQuery } from '#features/orders/detail/dialog-address.ts'
import { formatDueName } from '#features/orders/dues/due-items.ts'
import { toPayableOrder } from '#features/orders/payment/payable.ts'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'

/** Reason why the address opens no dialog. */
export type DialogRefusal = { kind: 'pay' } | { kind: 'extend'; reason: ContractRefusal }

/**
 * Returns the open dialog of a contract page. The payment and the extension are in the address, so a reload keeps them and Back closes them.
 */
export function useContractDialog(row: OrderRow) {
  const [query, setQuery] = useSearchParams()
  const navigate = useNavigate()
  const [plainDialog, setPlainDialog] = useState<ContractDialog | null>(null)
  const payParam = query.get('pay')
  const isExtending = query.has('extend')
  const hasHistoryStep = useHistoryStep(payParam !== null || isExtending)
  const { payable, setOpenPayable } = useOpenPayable(row, payParam)
  const addressName = payParam ?? (isExtending ? 'extend' : null)
  const isStillOpen = useIsStillOpen(addressName)
  const extendRefusal = isExtending ? getExtendRefusal(row) : null

  const setDialogQuery = (param: Parameters<typeof toDialogQuery>[1], replace: boolean) =>
    setQuery(toDialogQuery(query, param), { replace })
  function open(dialog: ContractDialog): void {
    if (dialog.kind === 'pay') setDialogQuery({ pay: formatDueName(dialog.order) }, false)
    else if (dialog.kind === 'extend') setDialogQuery({ extend: '1' }, false)
    else setPlainDialog(dialog)
  }
  function close(): void {
    setPlainDialog(null)
    if (!isStillOpen(addressName)) return
    if (hasHistoryStep.current) void navigate(-1)
    else setDialogQuery(null, true)
  }
  return {
    dialog: plainDialog ?? getAddressDialog(payable, isExtending && !extendRefusal),
    refusal: getRefusal(payParam !== null && !payable, extendRefusal),
    open,
    close,
    /** Replaces the page and the dialog, for example after a payment. Does nothing if the user has closed the dialog. */
    leaveTo(path: string) {
      if (isStillOpen(addressName)) void navigate(path, { replace: true })
    },
    /** Opens the payment of an order that was just created, in place of the form that created it. */
    payCreatedOrder(order: PayableOrder) {
      setOpenPayable({ name: formatDueName(order), order })
      setDialogQuery({ pay: formatDueName(order) }, true)
    },
  }
}

/**
 * Returns a function that tells whether the address still has the dialog `name`. A response may arrive after the user has closed the dialog
 * and has opened another page, and must not change that page's address.
 */
function useIsStillOpen(addressName: string | null) {
  const openName = useRef<string | null>(null)
  useEffect(() => {
    openName.current = addressName
    return () => void (openName.current = null)
  }, [addressName])
  return (name: string | null) => name !== null && openName.current === name
}

/**
 * Returns the payable that the address names. It stays the same while the address does: a new order is payable before its contract's row has
 * been fetched again, and a paid one is in the dialog until the dialog is closed.
 */
function useOpenPayable(row: OrderRow, payParam: string | null) {
  const [openPayable, setOpenPayable] = useState<{ name: string; order: PayableOrder } | null>(null)
  useEffect(() => (payParam === null ? undefined : () => setOpenPayable(null)), [payParam])
  const due = payParam === null ? null : findNamedDue(row, payParam)
  if (payParam !== null && due && openPayable?.name !== payParam)
    setOpenPayable({ name: payParam, order: toPayableOrder(due, row) })
  const payable = openPayable && openPayable.name === payParam ? openPayable.order : due && toPayableOrder(due, row)
  return { payable, setOpenPayable }
}

function getAddressDialog(payable: PayableOrder | null, isExtending: boolean): ContractDialog | null {
  if (payable) return { kind: 'pay', order: payable }
  return isExtending ? { kind: 'extend' } : null
}

const getExtendRefusal = ({ contract_id: contractId, state }: OrderRow): ContractRefusal | null =>
  getContractRefusal('extend', state) ?? (contractId > 0 ? null : 'notPaid')

function getRefusal(isNothingDue: boolean, extendRefusal: ContractRefusal | null): DialogRefusal | null {
  if (isNothingDue) return { kind: 'pay' }
  return extendRefusal && { kind: 'extend', reason: extendRefusal }
}
