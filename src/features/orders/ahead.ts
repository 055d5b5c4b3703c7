/** How the contract list sets off before its page is drawn. */
import { listOrders, type OrderRow } from '#contract/orders.ts'
import type { ClientType } from '#domain/access.ts'
import type { ListView } from '#local/view.ts'
import { type Ahead, heldFor, hold } from '#state/ahead.ts'
import { chosenClientType } from '#state/client-type.ts'
import { queryOf, readView, remembered, type View } from '#features/orders/address.ts'
import { readOrders } from '#features/orders/list.ts'

const nameOf = (companyId: number, type: ClientType, view: View) => `orders ${companyId} ${type} ${remembered(view)}`

/** What `ahead` has read of this view; undefined where it did not. */
export const ordersAhead = (companyId: number, type: ClientType, view: View) =>
  heldFor(nameOf(companyId, type, view)) as ListView<OrderRow> | undefined

/** Of the client type that was chosen in this browser: whoever may not choose is asked for saas, and reads again. */
export const ahead: Ahead = {
  async read(companyId, search) {
    const [view, type] = [readView(search), chosenClientType()]
    // Whether it is theirs to see is known only when it is known who they are.
    if (view.company !== null) return false
    const list = await readOrders(companyId, type, view)
    if (list.asOf === null) return false
    hold(nameOf(companyId, type, view), list)
    return true
  },
  async ask(api, companyId, search) {
    const view = readView(search)
    if (view.company !== null) return
    await api.ask(listOrders, { params: { companyId }, query: queryOf(chosenClientType(), view) })
  },
}
