import type { Jobs } from './lib/jobs.ts';
import type { SendMail } from './lib/mail.ts';
import type { Storage } from './lib/storage.ts';
import { sendFactorCodeJob, sendInvitationJob, sendPasswordResetJob } from './modules/auth/auth.jobs.ts';
import { tidyFilesJob } from './modules/files/files.jobs.ts';
import { refreshInsightJob } from './modules/insight/insight.jobs.ts';
import { verifyLedgerJob } from './modules/ledger/ledger.jobs.ts';
import { liftFactorJob } from './modules/staff/factor-lifts.service.ts';
import { tidyUpJob } from './modules/staff/staff.jobs.ts';
import { dropStatementJob, readStatementJob, resumeStatementsJob } from './modules/statements/statements.jobs.ts';
import { recountDoublesJob } from './modules/tools/tools.jobs.ts';

/** Every job the worker runs. */
export function createJobs(options: {
  sendMail: SendMail;
  publicUrl: string;
  storage: Storage;
  uploadsDir: string;
  ownerUrl: string;
  storageUrl?: string;
}): Jobs {
  return {
    send_mail: (message) => options.sendMail(message),
    send_password_reset: sendPasswordResetJob(options),
    send_invitation: sendInvitationJob(options),
    send_factor_code: sendFactorCodeJob(options),
    lift_factor: liftFactorJob,
    tidy_up: tidyUpJob,
    tidy_files: tidyFilesJob(options),
    verify_ledger: verifyLedgerJob,
    recount_doubles: recountDoublesJob,
    read_statement: readStatementJob(options),
    resume_statements: resumeStatementsJob,
    drop_statement: dropStatementJob,
    refresh_insight: refreshInsightJob,
  };
}
