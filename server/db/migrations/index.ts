/** All migrations, in the order in which they run. A migration that was released is never edited. */
import type { Migration } from 'kysely/migration'
import * as roles from '#server/db/migrations/001-roles.ts'
import * as companiesAndUsers from '#server/db/migrations/002-companies-and-users.ts'
import * as sessions from '#server/db/migrations/003-sessions.ts'
import * as ledger from '#server/db/migrations/004-ledger.ts'
import * as trail from '#server/db/migrations/005-trail.ts'
import * as jobs from '#server/db/migrations/006-jobs.ts'
import * as holder from '#server/db/migrations/007-holder.ts'
import * as claims from '#server/db/migrations/008-claims.ts'
import * as word from '#server/db/migrations/009-word.ts'
import * as oneExchange from '#server/db/migrations/010-one-exchange.ts'
import * as mail from '#server/db/migrations/011-mail.ts'
import * as assetsAndServices from '#server/db/migrations/012-assets-and-services.ts'
import * as secondFactor from '#server/db/migrations/013-second-factor.ts'
import * as devices from '#server/db/migrations/014-devices.ts'
import * as orders from '#server/db/migrations/015-orders.ts'
import * as printsAndCalendars from '#server/db/migrations/016-calendars.ts'
import * as paymentAttempts from '#server/db/migrations/017-payment-attempts.ts'
import * as tickets from '#server/db/migrations/018-tickets.ts'
import * as taxNumber from '#server/db/migrations/019-tax-number.ts'
import * as backups from '#server/db/migrations/020-backups.ts'
import * as apps from '#server/db/migrations/021-apps.ts'
import * as idempotency from '#server/db/migrations/022-idempotency.ts'
import * as sealKeys from '#server/db/migrations/023-seal-keys.ts'
import * as packages from '#server/db/migrations/024-packages.ts'
import * as auditLog from '#server/db/migrations/025-audit-log.ts'
import * as hosting from '#server/db/migrations/026-hosting.ts'
import * as backupRuns from '#server/db/migrations/027-backup-runs.ts'
import * as periodAnchors from '#server/db/migrations/028-period-anchors.ts'
import * as paymentTasks from '#server/db/migrations/029-payment-tasks.ts'
import * as undoOfChanges from '#server/db/migrations/030-undo-of-changes.ts'
import * as withdrawnPriceLists from '#server/db/migrations/031-withdrawn-price-lists.ts'
import * as presentedTokens from '#server/db/migrations/034-presented-tokens.ts'
import * as ticketSessions from '#server/db/migrations/036-ticket-sessions.ts'
import * as entrySeals from '#server/db/migrations/037-entry-seals.ts'
import * as ticketBrowsers from '#server/db/migrations/040-ticket-browsers.ts'
import * as dues from '#server/db/migrations/042-dues.ts'
import * as backupReminders from '#server/db/migrations/043-backup-reminders.ts'
import * as invitations from '#server/db/migrations/048-invitations.ts'
import * as columnNames from '#server/db/migrations/049-column-names.ts'

export const migrations: Record<string, Migration> = {
  '001-roles': roles,
  '002-companies-and-users': companiesAndUsers,
  '003-sessions': sessions,
  '004-ledger': ledger,
  '005-trail': trail,
  '006-jobs': jobs,
  '007-holder': holder,
  '008-claims': claims,
  '009-word': word,
  '010-one-exchange': oneExchange,
  '011-mail': mail,
  '012-assets-and-services': assetsAndServices,
  '013-second-factor': secondFactor,
  '014-devices': devices,
  '015-orders': orders,
  '016-calendars': printsAndCalendars,
  '017-payment-attempts': paymentAttempts,
  '018-tickets': tickets,
  '019-tax-number': taxNumber,
  '020-backups': backups,
  '021-apps': apps,
  '022-idempotency': idempotency,
  '023-seal-keys': sealKeys,
  '024-packages': packages,
  '025-audit-log': auditLog,
  '026-hosting': hosting,
  '027-backup-runs': backupRuns,
  '028-period-anchors': periodAnchors,
  '029-payment-tasks': paymentTasks,
  '030-undo-of-changes': undoOfChanges,
  '031-withdrawn-price-lists': withdrawnPriceLists,
  '034-presented-tokens': presentedTokens,
  '036-ticket-sessions': ticketSessions,
  '037-entry-seals': entrySeals,
  '040-ticket-browsers': ticketBrowsers,
  '042-dues': dues,
  '043-backup-reminders': backupReminders,
  '048-invitations': invitations,
  '049-column-names': columnNames,
}
