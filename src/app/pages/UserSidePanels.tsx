import { EndSessions } from '#features/users/EndSessionsDialog.tsx'
import { ColleagueFactors } from '#features/accounts/components/ColleagueFactors.tsx'

/** What an admin looks after of a colleague beside the form, at once and with a line: where and how they are logged in. */
export const BesideUser = (user: { id: number; name: string }) => (
  <>
    <EndSessions {...user} />
    <ColleagueFactors {...user} />
  </>
)
