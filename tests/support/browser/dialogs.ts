/** Every file of `src` that renders a dialog, and what checks it with axe (decision 119). A test compares the list with the code. */

/** Dialogs that the crawl opens by themselves or from a menu, with their English titles. */
export const crawledDialogs: Record<'admin' | 'staff', Record<string, RegExp>> = {
  admin: {
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

/** Dialogs without a title of their own. The dialogs that use them are checked. */
export const dialogFrames: readonly string[] = [
  'ui/form/ActionDialog.tsx',
  'ui/form/FormDrawer.tsx',
  'ui/form/TypedConfirmation.tsx',
]

/** Dialogs that no run of axe opens, with the state that they need. */
export const uncheckedDialogs: Record<string, string> = {
  'app/connection/step-up-dialog.tsx': 'an action that needs the password again, long after the login',
  'app/shell/MobileNavigation.tsx': 'a phone',
  'app/shell/help/AboutDialog.tsx': 'an item of the user menu, which is no row or page menu',
  'app/shell/help/InstallGuide.tsx': 'a browser that cannot install by itself',
  'features/accounts/components/FactorDialog.tsx': 'a login that is recent enough, and a second factor',
  'features/accounts/components/RenameFactor.tsx': 'a second factor',
  'features/apps/upload/LeaveDialog.tsx': 'a running upload',
  'features/backups/restore/RestoreDialog.tsx': 'a stored backup',
  'features/backups/traffic/SuspendTraffic.tsx': 'a paid subscription with an unpaid month of traffic',
  'features/modules/validation/ValidationDialog.tsx': 'selected modules',
  'features/orders/change/ChangeConsentDialog.tsx': 'a change that costs nothing',
  'features/orders/detail/UndoNotice.tsx': 'a change of today',
  'features/orders/dialogs/ReminderDateDialog.tsx': 'a contract of the client type mma',
  'features/orders/quote/PricedLayout.tsx': 'a phone, and a price in the wizard',
  'features/orders/wizard/DraftNote.tsx': 'an older draft',
  'features/orders/wizard/fields/ModuleChangeDialog.tsx': 'a module that others need',
  'features/orders/wizard/steps/SubmitNotes.tsx': 'an order whose price has changed',
  'features/outbox/ConflictDialog.tsx': 'a conflict',
  'features/outbox/DiscardDialog.tsx': 'a waiting change',
  'features/outbox/edit/EditEntryForm.tsx': 'a refused change',
  'features/payment-tasks/home/TaskDialog.tsx': 'a payment without an owner',
  'features/prices/editor/RemoveModuleDialog.tsx': 'a price list that is not confirmed',
  'features/prices/rehearsal/ConfirmButton.tsx': 'a price list that was tried',
  'features/prices/withdrawn/ReinstateDialog.tsx': 'a withdrawn price list',
  'features/profile/components/CropDialog.tsx': 'a chosen picture',
  'features/services/AddressFacts.tsx': 'a service that runs',
  'features/services/operations/PasswordDialog.tsx': 'a service that was created or reset',
  'features/services/operations/RebootOffer.tsx': 'a changed configuration',
  'features/sessions/components/EndOtherSessionsDialog.tsx': 'another session of the user',
  'features/users/form/UserDrawer.tsx': 'the address of a user that does not exist',
  'features/users/list/BulkActionDialog.tsx': 'selected users',
}
