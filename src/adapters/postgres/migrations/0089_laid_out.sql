-- How the reply of a run was laid out when it was settled: its last page is changed later only where it is known to be that page.
-- Written with a row that is written anyway. Absent for what was settled before.

alter table runs add column laid_out jsonb;
