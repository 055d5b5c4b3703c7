/** The users' page with what the accounts know of each: a feature sees no other one. */
import { type ComponentType, lazy } from 'react'
import { UserListPage } from '#features/users/list/UserListPage.tsx'

/** Without a line there is nothing to end or to reset, and its code cannot be fetched either. */
const LazySidePanels = lazy<ComponentType<{ id: number; name: string }>>(() =>
  import(/* chunk: online */ '#app/pages/UserSidePanels.tsx').then(
    ({ UserSidePanels: SidePanelsPart }) => ({ default: SidePanelsPart }),
    () => ({ default: () => null }),
  ),
)

export const UsersRoute = () => <UserListPage ExtraSections={LazySidePanels} />
