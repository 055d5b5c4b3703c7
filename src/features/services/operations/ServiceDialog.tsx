import type { Intent } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { ConfirmActionDialog, DeleteServiceDialog } from '#features/services/operations/ConfirmActionDialog.tsx'
import { ConfigDialog } from '#features/services/operations/ConfigDialog.tsx'
import type { ServiceMenuAction } from '#features/services/operations/service-actions.ts'
import { PasswordDialog } from '#features/services/operations/PasswordDialog.tsx'
import { RebootOffer } from '#features/services/operations/RebootOffer.tsx'
import { DownloadDialog } from '#features/services/log/DownloadDialog.tsx'
import type { ServiceOperationRequest } from '#features/services/slice.ts'

export type OpenServiceDialog =
  | { kind: Exclude<ServiceMenuAction, 'log'>; row: ServiceRow }
  | { kind: 'rebootOffer'; row: ServiceRow }
  | { kind: 'password'; row: ServiceRow; intent: Intent }

interface Props {
  openDialog: OpenServiceDialog
  onClose: () => void
  onDone: (operation: ServiceOperationRequest, intent: Intent) => void
  onConfigured: (row: ServiceRow) => void
}

/** The dialog of a service action. Loaded when it is opened, because the lists need none of the dialogs. */
export function ServiceDialog({ openDialog, onClose, onDone, onConfigured }: Props) {
  const { kind, row } = openDialog
  const props = { row, onClose, onDone }
  switch (kind) {
    case 'configure':
      return <ConfigDialog row={row} onClose={onClose} onDone={() => onConfigured(row)} />
    case 'delete':
      return <DeleteServiceDialog {...props} />
    case 'download':
      return <DownloadDialog service={row} onClose={onClose} />
    case 'rebootOffer':
      return <RebootOffer row={row} onClose={onClose} />
    case 'password':
      return <PasswordDialog service={row} intent={openDialog.intent} onClose={onClose} />
    default:
      return <ConfirmActionDialog action={kind} {...props} />
  }
}
