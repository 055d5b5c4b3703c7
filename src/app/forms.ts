/** Imports what forms of visitors share with pages behind the login, so that it is in the first chunk and visitors load no other (decision 85). */
import '#domain/accounts/users.ts'
import '#state/use-action.ts'
import '#ui/form/forms.css'
import '#ui/page/business-clock.ts'
