import { EndSessionsSection } from '#features/users/EndSessionsSection.tsx'
import { ColleagueFactors } from '#features/accounts/components/ColleagueFactors.tsx'

export const UserSidePanels = (user: { id: number; name: string }) => (
  <>
    <EndSessionsSection {...user} />
    <ColleagueFactors {...user} />
  </>
)
