-- What a model call was made for besides the reply of its run ("verify"); null for a call of the reply. Such a call is of round 0, so
-- that whoever resumes a run takes up what the reply was asked with.

alter table model_calls add column purpose text;
