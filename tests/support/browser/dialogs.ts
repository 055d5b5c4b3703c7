/** Every file of `src` that renders a dialog, and what checks it with axe (decision 119). A test compares the list with the code. */

/** Dialogs that the crawl opens by themselves or from a menu, with their English titles. */
export const crawledDialogs: Record<'admin' | 'staff', Record<string, RegExp>> = {
  admin: {
    'app/shell/help/AboutDialog.tsx': /^About this app$/,
    'app/shell/help/HelpDialog.tsx': /^Help$/,
    'features/activity/JobsPanel.tsx': /^Notifications$/,
    'features/audit-trail/offline/StoreTrailDialog.tsx': /^Audit trail on this device$/,
    'features/backups/stored/BackUpDialog.tsx': /^Back up .+ now\?$/,
    'features/backups/traffic/TrafficPart.tsx': /^Why this amount: /,
    'features/device/components/ClearDialog.tsx': /^Clear the lists on this device\?$/,
    'features/orders/change/ContractExtension.tsx': /^Extend /,
    'features/orders/dialogs/CalendarDialog.tsx': /^Add due dates to your calendar$/,
    'features/orders/dialogs/DeleteOrderDialog.tsx': /^Delete the unpaid order of /,
    'features/orders/dialogs/ServiceInfoDialog.tsx': /^Service /,
    'features/orders/payment/PaymentDialog.tsx': /^Pay /,
    'features/search/dialog/SearchDialog.tsx': /^Search and commands$/,
    'features/services/log/DownloadDialog.tsx': /^Download the log of /,
    'features/services/operations/ConfigDialog.tsx': /^Configuration of /,
    'features/services/operations/ConfirmActionDialog.tsx': /^Reboot /,
    'features/users/form/UserForm.tsx': /^Edit /,
    'features/users/list/RemoveUserDialog.tsx': /^Delete /,
    'patterns/list-export/ExportDialog.tsx': /^Export$/,
  },
  staff: {
    'features/apps/history/ChangeLogDialog.tsx': /^Change log: /,
    'features/modules/list/RemoveModuleDialog.tsx': /^Delete /,
    'features/prices/import/ImportDialog.tsx': /^Import a price list$/,
    'features/prices/list/RemoveDialog.tsx': /^Withdraw the price list of /,
  },
}

/** Dialogs of the screens that the sweep prepares, by the name of the screen. */
export const sweptDialogs: Record<string, string> = {
  'features/audit-trail/entry/EntryDrawer.tsx': 'trail-entry',
  'features/invoices/detail/InvoiceDrawer.tsx': 'invoice',
  'features/users/list/BulkDialog.tsx': 'users-roles',
  'ui/list/FilterSheet.tsx': 'users-filter',
}

/** Dialogs that need steps of their own, which `dialog-visits.e2e.night.test.ts` makes, with the paths of their titles in `src/locales`. */
export const visitedDialogs: Record<string, string> = {
  'app/shell/MobileNavigation.tsx': 'shell.navigation',
  'app/shell/help/InstallGuide.tsx': 'about.install.title',
  'features/accounts/components/FactorDialog.tsx': 'factors.confirm.title',
  'features/accounts/components/RenameFactor.tsx': 'factors.rename.action',
  'features/apps/upload/LeaveDialog.tsx': 'apps.leave.title',
  'features/backups/restore/RestoreDialog.tsx': 'backups.restore.title',
  'features/backups/traffic/SuspendTraffic.tsx': 'backups.traffic.suspendTitle',
  'features/invoices/credit/CreditDrawer.tsx': 'invoices.credit.title',
  'features/invoices/refund/RefundDialog.tsx': 'refunds.title',
  'features/modules/validation/ValidationDialog.tsx': 'modules.test.title_one',
  'features/money/overview/WithdrawDialog.tsx': 'money-page.withdraw.title',
  'features/money/transfers/CloseTransferDialog.tsx': 'bank-transfers.close.returned.title',
  'features/money/transfers/CorrectTransferDialog.tsx': 'bank-transfers.correct.title',
  'features/money/transfers/CreditTransferDialog.tsx': 'bank-transfers.credit.title',
  'features/money/transfers/ImportDialog.tsx': 'bank-transfers.import.title',
  'features/money/transfers/RecordTransferDialog.tsx': 'bank-transfers.record.title',
  'features/orders/change/ChangeConsentDialog.tsx': 'contract.discard.title',
  'features/orders/detail/UndoNotice.tsx': 'contract.consent.appsTitle',
  'features/orders/quote/PricedLayout.tsx': 'wizard.why.title',
  'features/orders/wizard/DraftNote.tsx': 'wizard.draft.title',
  'features/orders/wizard/fields/ModuleChangeDialog.tsx': 'wizard.confirm.removeTitle',
  'features/outbox/ConflictDialog.tsx': 'outbox.compare.title',
  'features/outbox/DiscardDialog.tsx': 'outbox.drop.title',
  'features/outbox/edit/EditEntryForm.tsx': 'outbox.mend.edit',
  'features/payment-tasks/home/MoneyCheckDialog.tsx': 'money.foundTitle_other',
  'features/payment-tasks/home/SettleRefundDialog.tsx': 'refunds.task.settleTitle',
  'features/prices/editor/RemoveModuleDialog.tsx': 'prices.removeModule.title',
  'features/prices/rehearsal/ConfirmButton.tsx': 'prices.confirm.unrehearsed',
  'features/prices/withdrawn/ReinstateDialog.tsx': 'prices.reinstate.title',
  'features/profile/components/CropDialog.tsx': 'profile.crop.title',
  'features/services/AddressFacts.tsx': 'services.info.title',
  'features/sessions/components/EndOtherSessionsDialog.tsx': 'sessions.others.title',
  'features/users/form/UserDrawer.tsx': 'people.missing.unknown.title',
  'features/users/list/BulkActionDialog.tsx': 'people.many.ask.disable_other',
}

/** Dialogs without a title of their own. The dialogs that use them are checked. */
export const dialogFrames: readonly string[] = [
  'ui/form/ActionDialog.tsx',
  'ui/form/FormDrawer.tsx',
  'ui/form/TypedConfirmation.tsx',
]

/** Dialogs that no run of axe opens, with the state that they need. */
export const uncheckedDialogs: Record<string, string> = {
  'app/connection/step-up-dialog.tsx':
    'a login of more than five minutes ago, on a portal that asks for the password again',
  'features/orders/dialogs/ReminderDateDialog.tsx': 'a contract of the client type mma',
  'features/orders/wizard/steps/SubmitNotes.tsx':
    'an unpaid order with the same code, or a running service with apps that the order adds',
  'features/payment-tasks/home/TaskDialog.tsx': 'a payment that belongs to no open order',
  'features/services/operations/PasswordDialog.tsx': 'hosting that creates or resets a service',
  'features/services/operations/RebootOffer.tsx': 'hosting that changes the configuration of a service',
  'patterns/refunds/WithdrawRefundDialog.tsx': 'a refund that its gateway does not accept',
}
