/** The sample program, but tasks with one of these memory limits (in MB) never become healthy. Stands for a version that does not work. */
export const faultyMemoryMb = { ends: 1001, neverResponds: 1002 }

const [, , command, argument = '{}'] = process.argv
const { limitMb } = command === 'serve' ? (JSON.parse(argument) as { limitMb?: number }) : {}
if (limitMb === faultyMemoryMb.ends) process.exit(1)
if (limitMb === faultyMemoryMb.neverResponds) setInterval(() => undefined, 1000)
else if (command === 'serve' || command === 'set-password') await import('#demo/sample-instance/main.ts')
