/** Lists all operations of a history with their weights. */
import type { Random } from '#tests/support/runner/random.ts'
import * as credit from '#tests/campaigns/money/credit-operations.ts'
import * as gateway from '#tests/campaigns/money/gateway-operations.ts'
import * as groups from '#tests/campaigns/money/group-operations.ts'
import type { BuyerOperation } from '#tests/campaigns/money/order-operations.ts'
import * as orders from '#tests/campaigns/money/order-operations.ts'
import * as payments from '#tests/campaigns/money/payment-operations.ts'
import * as refunds from '#tests/campaigns/money/refund-operations.ts'
import * as tasks from '#tests/campaigns/money/task-operations.ts'
import * as transfers from '#tests/campaigns/money/transfer-operations.ts'

/** Operations by the name that the report uses. */
export const operations: Record<string, [weight: number, operation: BuyerOperation]> = {
  create: [6, orders.create],
  'order and leave': [3, payments.orderAndLeave],
  'change and leave': [4, payments.changeAndLeave],
  'back up and leave': [2, payments.backUpAndLeave],
  replace: [5, orders.replace],
  delete: [5, orders.removeUnpaid],
  'change up': [8, orders.changeUp],
  'change down': [4, orders.changeDown],
  'replace a change': [3, orders.replaceChange],
  extend: [4, orders.extendContract],
  'extend after the end': [3, orders.extendExpired],
  'back up months': [4, orders.backUpMonths],
  'back up a year': [2, orders.backUpYear],
  'back up to the end': [2, orders.backUpToTheEnd],
  'pay by card': [24, payments.payByCard],
  'pay by a declined card': [3, payments.payByDeclinedCard],
  'pay at the bank': [4, payments.payAtBank],
  'refuse at the bank': [2, payments.refuseAtBank],
  'pay on the page': [7, payments.payOnPage],
  'decline on the page': [2, payments.declineOnPage],
  'leave the page': [4, payments.leavePage],
  'pay by Alipay': [7, payments.payByAlipay],
  'keep the address of Alipay': [7, payments.keepAlipayAddress],
  'pay by simulation': [1, payments.payBySimulation],
  'pay twice': [4, payments.payTwice],
  'pay in two tabs': [4, payments.payInTwoTabs],
  'pay otherwise': [3, payments.payOtherwise],
  'pay on an old page': [12, payments.payOldPage],
  'pay again': [2, payments.payAgain],
  'ask how it stands': [3, payments.checkPaymentState],
  'pay together': [12, groups.payTogether],
  'pay together on the page': [6, groups.payTogetherOnPage],
  'leave the page of a group': [4, groups.leavePageTogether],
  'pay together twice': [3, groups.payTogetherTwice],
  'pay together and alone': [4, groups.payTogetherAndAlone],
  'pay overlapping groups': [3, groups.payOverlappingGroups],
  'delete while paying together': [6, groups.deleteWhilePayingTogether],
  'ask how a group stands': [1, groups.checkGroupState],
  'delete while paying': [5, payments.deleteWhilePaying],
  'replace while paying': [3, payments.replaceWhilePaying],
  'delete while the gateway is silent': [3, payments.deleteUnderSilence],
  undo: [10, orders.undo],
  'refund a task': [8, tasks.refundTask],
  'apply a task': [8, tasks.applyTask],
  'refund and apply a task at once': [4, tasks.refundAndApply],
  'refund by the gateway': [8, refunds.refundByGateway],
  'refund by transfer': [4, refunds.refundByTransfer],
  'refund to the balance': [8, credit.refundToBalance],
  'pay with credit': [6, credit.payWithCredit],
  'pay two with credit': [3, credit.payTwoWithCredit],
  'credit a transfer': [6, transfers.creditTransfer],
  'credit a transfer and pay': [8, transfers.creditTransferWithItems],
  'credit a transfer twice': [2, transfers.creditTransferTwice],
  'correct a transfer': [4, transfers.correctTransfer],
  'return a transfer': [2, transfers.returnTransfer],
  'withdraw credit': [4, credit.withdrawCredit],
  'refund twice at once': [3, refunds.refundTwiceAtOnce],
  'refund at the gateway': [6, refunds.refundAtGateway],
  'open a dispute': [5, refunds.openDispute],
  'end a dispute': [5, refunds.endDispute],
  'settle a refund at the gateway': [4, refunds.settleRefundTask],
  'lose answers': [1, gateway.loseAnswers],
  'silence of the gateway': [1, gateway.silenceGateway],
  'hold notices': [1, gateway.holdNotices],
  'release notices': [2, gateway.releaseNotices],
  'repeat notices': [2, gateway.repeatNotices],
  'reverse notices': [1, gateway.reverseNotices],
  'drop a notice': [1, gateway.dropNotice],
  'forge a notice': [1, gateway.forgeNotice],
  'forge a return': [1, gateway.forgeReturn],
  reconcile: [0.5, gateway.reconcile],
}

const totalWeight = Object.values(operations).reduce((sum, [weight]) => sum + weight, 0)

export function drawOperation(random: Random): { name: string; operation: BuyerOperation } {
  let remainingWeight = random() * totalWeight
  for (const [name, [weight, operation]] of Object.entries(operations)) {
    remainingWeight -= weight
    if (remainingWeight < 0) return { name, operation }
  }
  throw new Error('no operation was selected')
}
