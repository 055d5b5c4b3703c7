import '#features/orders/words.ts'
import '#features/payment-tasks/words.ts'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { MoneyCheckDialog } from '#features/payment-tasks/home/MoneyCheckDialog.tsx'
import { MoneyPage } from '#features/money/MoneyPage.tsx'

/** The money page with the company picker of the orders and the faults of the payment tasks. */
export const MoneyRoute = () => <MoneyPage CompanyPicker={CompanyPicker} FaultDialog={MoneyCheckDialog} />
